// Empty: the Swift module BleperaOS is the overlay of this one.
