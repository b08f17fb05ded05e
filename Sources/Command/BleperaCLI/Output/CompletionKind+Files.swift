package import ArgumentParser

/// The files that shells complete.
extension CompletionKind {
  /// The files of profiles and scenarios.
  package static var propertyList: CompletionKind { .file(extensions: ["plist"]) }

  package static var trace: CompletionKind { .file(extensions: ["jsonl", "json", "trace"]) }

  package static var page: CompletionKind { .file(extensions: ["html"]) }
}
