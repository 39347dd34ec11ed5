import Foundation
import FunctionKit
import TestSupport
import Testing

/// `make function`, on a copy of what it changes.
@Suite(.heavy)
struct NewFunctionTests {
  private static let copy = #"""
    mkdir Functions Tests && cp -r "$1/Functions/Echo" "$1/Functions/new" Functions &&
    mkdir Tests/Events Tests/FunctionTests && cp "$1/Package.swift" "$1/functions.json" .
    """#

  private func make(_ name: String, in folder: TemporaryDirectory) async throws -> BuiltExecutables.Outcome {
    try await BuiltExecutables.run("/bin/bash", ["-c", "cd '\(folder.path)' && Functions/new '\(name)' 2>&1"])
  }

  @Test func aNewFunctionIsThereAndItsHintIsTheShortWay() async throws {
    let folder = try TemporaryDirectory()
    _ = try await BuiltExecutables.run(
      "/bin/bash", ["-c", "cd '\(folder.path)' && \(Self.copy)", "bash", House.root.path])

    let made = try await make("OrderShipped", in: folder)
    let odd = try await make("HTTPPing", in: folder)
    let again = try await make("OrderShipped", in: folder)

    #expect(made.exit == 0, "\(made.stdout)")
    #expect(made.stdout.contains("swift build --product order-shipped\n"))
    #expect(made.stdout.contains("runner serve --watch") && made.stdout.contains(#""triggers""#))
    #expect(odd.exit == 64 && odd.stdout.contains("HttpPing"))
    #expect(again.exit == 73)
    let manifest = try String(contentsOfFile: "\(folder.path)/functions.json", encoding: .utf8)
    let functions = try RawJSON(validating: Array(manifest.utf8)[...])["functions"]
    #expect(functions?["order-shipped"]?["sample"]?.stringValue == "Tests/Events/order-shipped.json")
  }
}
