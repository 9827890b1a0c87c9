"""Language models that are talked to: anything that speaks OpenAI's protocol, on this machine or elsewhere."""
