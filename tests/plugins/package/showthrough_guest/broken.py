raise RuntimeError("needs a library that is not here")
