// Measures everything that needs neither a bus nor a radio: the policy's events, plans, overflow bits, trials of
// discovery, the steps of scenarios, and the launch and restoration of an app on the virtual air. The argument is the
// folder of the scenarios.

for apps in [1, 20] { await measurePolicy(apps: apps) }
for apps in [1, 20] { await measurePlans(apps: apps) }
await measureOverflowBits()
await measureDiscovery()
try await measureScenarios(in: CommandLine.arguments.dropFirst().first ?? "scenarios")
for services in [1, 1000] { try await measureRestoration(services: services) }
