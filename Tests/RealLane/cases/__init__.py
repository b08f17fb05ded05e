"""What only a real bluetoothd can get wrong: bytes on the air, gaps, intervals, CCCDs, pairing, power, restarts and
kills.
"""
