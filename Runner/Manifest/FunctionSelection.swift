package import CLI
package import FunctionKit

/// The functions that a runner serves: all of its bundle, only some, or all but some; and by which triggers.
package struct FunctionSelection: Sendable, Equatable {
  private enum Rule: String {
    case only, except
  }

  private var rule: Rule?
  private var names: Set<String> = []
  fileprivate var takesCalls = true
  fileprivate var firesSchedules = true

  package init() {}

  /// Names separated by commas.
  package static let only = Option.text(
    "--only", "F,G",
    "have these functions only: their events, schedules and calls; other runners on the database have the others"
  ).offering(.functions).repeated
  package static let except = Option.text("--except", "F,G", "have all functions but these")
    .offering(.functions).repeated
  package static let noHTTP = Flag(
    "--no-http", "take no calls of functions; /_/health, /_/ready and /metrics stay")
  package static let noSchedules = Flag("--no-schedules", "fire no schedules; another runner has to")

  package init(_ arguments: CommandArguments) throws(FunctionError) {
    (takesCalls, firesSchedules) = (!arguments[Self.noHTTP], !arguments[Self.noSchedules])
    let (only, except) = (arguments.all(Self.only), arguments.all(Self.except))
    guard only.isEmpty || except.isEmpty else {
      throw FunctionError(.usage, "--only and --except do not go together.")
    }
    rule = !only.isEmpty ? .only : !except.isEmpty ? .except : nil
    names = Set((only + except).flatMap { $0.split(separator: ",") }.map(String.init))
  }

  /// Takes these functions only.
  package init(only names: [String]) {
    (rule, self.names) = (.only, Set(names))
  }

  /// The same choice, once it is known to fit a bundle.
  ///
  /// - Throws: a usage error if it names a function that the bundle does not have, or leaves none.
  package func checked(by manifest: Manifest) throws(FunctionError) -> FunctionSelection {
    if let name = names.sorted().first(where: { manifest[$0] == nil }) {
      let near = Suggestion.phrase(for: name, among: manifest.functions.map(\.name))
      throw FunctionError(.usage, "There is no function \(name);\(near) see runner list.")
    }
    guard rule == nil || manifest.functions.contains(where: { takes($0.name) }) else {
      throw FunctionError(.usage, "--\(rule?.rawValue ?? "") leaves no function.")
    }
    return self
  }

  package func takes(_ function: String) -> Bool {
    switch rule {
    case nil: true
    case .only: names.contains(function)
    case .except: !names.contains(function)
    }
  }

  /// The id of a runner's set of functions, which is the same across versions of the bundle.
  package func group(of bundle: String) -> String {
    let choice = rule.map { " \($0.rawValue) \(names.sorted().joined(separator: ","))" } ?? ""
    return choice.isEmpty && bundle == Manifest.defaultBundle ? "" : bundle + choice
  }
}

extension Manifest {
  /// The manifest of a runner that serves only a part of it; functions that it does not have are ``elsewhere``.
  package func selecting(_ selection: FunctionSelection) -> Manifest {
    var manifest = self
    manifest.functions = functions.filter { selection.takes($0.name) }
    manifest.elsewhere = functions.filter { !selection.takes($0.name) }
    (manifest.takesCalls, manifest.firesSchedules) = (selection.takesCalls, selection.firesSchedules)
    return manifest
  }

  /// The manifest with all functions again.
  package var whole: Manifest {
    var manifest = self
    (manifest.functions, manifest.elsewhere) = (functions + elsewhere, [])
    return manifest
  }
}
