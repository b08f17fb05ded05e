import ArgumentParser

/// Which of a running system's apps is meant.
struct AppOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The app's bundle identifier or name; by default all apps.", valueName: "identifier"))
  var app: String?
}
