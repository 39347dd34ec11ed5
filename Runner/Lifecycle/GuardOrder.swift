/// The command line of a guard.
struct GuardOrder: Equatable {
  /// The id of the runner's run.
  let id: String

  /// The project whose local PostgreSQL the guard stops; `nil` for none.
  let project: String?

  init(id: String, project: String?) {
    self.id = id
    self.project = project
  }

  /// Reads what follows `guard`: `--id ID [--project PATH]`.
  init?(_ arguments: some Collection<String>) {
    var rest = Array(arguments)[...]
    var id: String?
    var project: String?
    while let name = rest.popFirst() {
      guard let value = rest.popFirst(), !value.isEmpty else { return nil }
      switch name {
      case "--id": id = value
      case "--project": project = value
      default: return nil
      }
    }
    guard let id else { return nil }
    self.init(id: id, project: project)
  }

  /// The arguments after the executable that give this order.
  var arguments: [String] {
    ["guard", "--id", id] + (project.map { ["--project", $0] } ?? [])
  }
}
