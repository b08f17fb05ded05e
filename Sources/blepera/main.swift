import BleperaCLI

await runBlepera()
