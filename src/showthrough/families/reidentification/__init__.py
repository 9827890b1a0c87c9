"""Re-identification: can an attacker find the person?"""
