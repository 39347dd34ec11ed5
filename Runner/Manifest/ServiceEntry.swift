package import FunctionKit

/// A process that runs beside the functions, mostly a local stand-in for something remote.
///
/// It prints one JSON line when it is ready, whose `environment` functions may then ask for.
package struct ServiceEntry: Sendable, Equatable {
  package var name: String
  package var arguments: [String] = []
  /// The service is left out where one of these environment variables is set: the real thing is configured.
  var unless: [String] = []
  /// Beside which databases it is started.
  package var only = Databases.local
  /// The consequence of having neither it nor the real thing, as a sentence begins: "deliveries wait".
  package var without: String?

  package enum Databases: String, Sendable, CaseIterable {
    /// The runner's own, and one that is said to be local on the command line.
    case local
    case any
  }

  package init(name: String) {
    self.name = name
  }

  /// Whether the real thing is configured.
  func isReplaced(in environment: Environment) -> Bool { unless.contains { environment[$0] != nil } }

  /// Whether it is started beside a database.
  package func isStarted(isLocal: Bool, _ environment: Environment) -> Bool {
    (isLocal || only == .any) && !isReplaced(in: environment)
  }

  /// The message while neither it nor the real thing is there: the consequence, and the remedy.
  package var absence: String {
    let set = unless.isEmpty ? "" : "set \(unless.joined(separator: " or ")), or "
    return "\(without ?? "it is not started"): \(set)give --emulator where the database is for trying out only"
  }
}

extension ServiceEntry {
  /// Folders of the runner's own beside those of the services.
  private static let reserved: Set = ["postgres", "runs"]

  package init(name: String, _ node: ManifestNode) throws(ManifestError) {
    guard FunctionEntry.isName(name), !Self.reserved.contains(name) else {
      throw node.error("is not a service's name: lower-case letters, digits and hyphens, not \"postgres\" or \"runs\"")
    }
    let members = try node.members(allowed: ["arguments", "unless", "only", "without"])
    self.init(name: name)
    arguments = try members["arguments"]?.strings() ?? []
    unless = try members["unless"]?.strings() ?? []
    only = try members["only"]?.choice(Databases.self) ?? only
    without = try members["without"]?.string()
  }
}

extension Manifest {
  /// The services that are not started, though nothing that they stand in for is configured and a function asks for it.
  package func missingServices(isLocal: Bool, startsServices: Bool = true, _ environment: Environment) -> [ServiceEntry]
  {
    services.filter { service in
      !(startsServices && service.isStarted(isLocal: isLocal, environment)) && !service.isReplaced(in: environment)
        && functions.contains { !Set($0.environment).isDisjoint(with: service.unless) }
    }
  }
}
