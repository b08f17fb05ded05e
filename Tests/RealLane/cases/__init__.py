"""Cases in which only a real bluetoothd can fail: bytes on the air, gaps, intervals, CCCDs, pairing, power, restarts
and kills.
"""
