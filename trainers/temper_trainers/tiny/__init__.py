"""The tiny world: a GPT-OSS of about 129 thousand parameters and two-digit addition, made from seeds, nothing downloaded."""
