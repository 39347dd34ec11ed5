/// A page of the console that is the bundle's own.
///
/// One of the bundle's commands has its data: what it prints with `--json`. The kind says how the page asks and looks.
package struct PanelEntry: Sendable, Equatable {
  package var name: String
  /// The name of a command of `functions.json`.
  package var command: String
  package var kind: Kind
  /// The page's name in the menu.
  package var title: String

  package enum Kind: String, Sendable, CaseIterable {
    /// People with what they were told, and were not.
    case people
    /// An event with everybody whom it concerned.
    case explain
    /// Phones with what they show.
    case phones
  }
}

extension PanelEntry {
  /// The first segments of the console's own addresses, which no panel can have.
  private static let taken: Set = [
    "assets", "changes", "clock", "dead", "event", "find", "functions", "schedules", "sign-in", "sign-out", "try",
  ]

  /// - Parameter commands: those of the bundle.
  init(name: String, _ node: ManifestNode, of commands: [CommandEntry]) throws(ManifestError) {
    guard FunctionEntry.isName(name) else {
      throw node.error("is not a panel's name: lower-case letters, digits and single hyphens")
    }
    guard !Self.taken.contains(name) else { throw node.error("is the name of a page that every console has") }
    let members = try node.members(allowed: ["command", "kind", "title"])
    guard let command = members["command"] else { throw node.error("has no \"command\"") }
    guard let kind = members["kind"] else { throw node.error("has no \"kind\"") }
    self.init(
      name: name, command: try command.string(), kind: try kind.choice(Kind.self),
      title: try members["title"]?.string() ?? name.prefix(1).uppercased() + name.dropFirst())
    guard commands.contains(where: { $0.name == self.command }) else {
      throw command.error("must be one of \"commands\"")
    }
  }
}
