import ArgumentParser

/// The files that shells complete.
extension CompletionKind {
  /// Profiles and scenarios.
  static var propertyList: CompletionKind { .file(extensions: ["plist"]) }

  static var trace: CompletionKind { .file(extensions: ["jsonl", "json", "trace"]) }

  static var page: CompletionKind { .file(extensions: ["html"]) }
}
