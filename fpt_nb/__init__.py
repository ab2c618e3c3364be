import os
# read when PyTorch is loaded: threads that wait sleep, so a busy core holds nobody up (nbs/engine/speed)
os.environ.setdefault('OMP_WAIT_POLICY', 'PASSIVE')

__version__ = "0.1.0"
