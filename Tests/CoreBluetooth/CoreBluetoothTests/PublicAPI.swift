import Foundation

/// The public API of the built module, from its symbol graph: a line for each declaration, with its path and its exact
/// type, and a line for the superclass of each class.
///
/// Declarations are normalized to what the Objective-C headers of Apple's framework become in Swift: `override`,
/// `convenience` and `@discardableResult` are left out, and a stored property has its accessors.
struct PublicAPI {
  let lines: Set<String>
  /// The paths of declarations without a documentation comment.
  let undocumented: [String]

  struct Failure: Error {
    let output: String
  }

  /// Reads the symbol graph of the module that the tests are linked with.
  static func ofModule(_ name: String) throws -> PublicAPI {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    // Test programs of the toolchain load the tests from a bundle; its path is among their arguments then.
    let candidates = [tests] + CommandLine.arguments
    let folders = candidates.map {
      URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent("Modules")
    }
    let modules = folders.first {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent("\(name).swiftmodule").path)
    }
    guard let modules else { throw Failure(output: "no folder Modules beside any of \(candidates)") }
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: output) }
    #if arch(arm64)
      let target = "aarch64-unknown-linux-gnu"
    #else
      let target = "x86_64-unknown-linux-gnu"
    #endif
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swift-symbolgraph-extract", "-module-name", name, "-target", target, "-I", modules.path, "-output-dir",
      output.path,
      "-minimum-access-level", "public", "-skip-synthesized-members",
    ]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(output: text) }
    let graph = try JSONDecoder().decode(
      Graph.self, from: Data(contentsOf: output.appendingPathComponent("\(name).symbols.json")))
    return PublicAPI(
      lines: Set(graph.lines), undocumented: graph.symbols.filter { $0.docComment == nil }.map(\.path).sorted())
  }

  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Identifier: Decodable { let precise: String }
      struct Fragment: Decodable { let spelling: String }
      struct Comment: Decodable {}
      let identifier: Identifier
      let pathComponents: [String]
      let declarationFragments: [Fragment]
      let docComment: Comment?

      var path: String { pathComponents.joined(separator: ".") }
      var declaration: String { normalized(declarationFragments.map(\.spelling).joined()) }
    }

    struct Relationship: Decodable {
      let kind: String
      let source: String
      let target: String
      let targetFallback: String?
    }

    let symbols: [Symbol]
    let relationships: [Relationship]

    var lines: [String] {
      let paths = Dictionary(symbols.map { ($0.identifier.precise, $0.path) }) { first, _ in first }
      return symbols.map { "\($0.path)\t\($0.declaration)" }
        + relationships.filter { $0.kind == "inheritsFrom" }.compactMap { relationship in
          paths[relationship.source].map { child -> String in
            let parent = paths[relationship.target] ?? relationship.targetFallback ?? relationship.target
            return "\(child)\t: \(parent.replacingOccurrences(of: "Foundation.", with: ""))"
          }
        }
    }
  }

  static func normalized(_ declaration: String) -> String {
    var text = declaration
    for word in ["override ", "convenience ", "@discardableResult "] {
      text = text.replacingOccurrences(of: word, with: "")
    }
    // `let` of a type's instance is read-only like `var { get }`; the others are constants on Apple's platforms too.
    if text.contains("var "), !text.contains("{") { text += " { get set }" }
    return text
  }
}
