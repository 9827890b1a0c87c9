"""What people rate: passages drawn by chance, and a page on this machine that asks for them one by one."""
