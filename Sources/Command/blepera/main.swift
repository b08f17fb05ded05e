import BleperaCLI

runBlepera()
