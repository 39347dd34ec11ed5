package import CLI
package import FunctionKit

/// What a runner serves: all functions of its bundle, only some, or all but some; and by which triggers.
package struct FunctionSelection: Sendable, Equatable {
  private enum Rule: String, CaseIterable {
    case only, except
  }

  private var rule: Rule?
  private var names: Set<String> = []
  fileprivate var takesCalls = true
  fileprivate var firesSchedules = true

  package init() {}

  /// Takes `--no-http`, `--no-schedules`, and `--only` or `--except`, whose values are names separated by commas; these
  /// may be given several times.
  package init(_ arguments: inout CommandArguments) throws(FunctionError) {
    (takesCalls, firesSchedules) = (!arguments.flag("--no-http"), !arguments.flag("--no-schedules"))
    for rule in Rule.allCases {
      while let value = try arguments.value("--\(rule.rawValue)") {
        guard self.rule == nil || self.rule == rule else {
          throw FunctionError(.usage, "--only and --except do not go together.")
        }
        self.rule = rule
        names.formUnion(value.split(separator: ",").map(String.init))
      }
    }
  }

  /// Takes these functions only.
  package init(only names: [String]) {
    (rule, self.names) = (.only, Set(names))
  }

  /// The same choice by the functions' present names.
  ///
  /// - Throws: where it names a function that there is not, or leaves none.
  package func checked(by manifest: Manifest) throws(FunctionError) -> FunctionSelection {
    var selection = self
    selection.names = []
    for name in names.sorted() {
      guard let function = manifest.function(everNamed: name) else {
        let near = Suggestion.phrase(for: name, among: manifest.functions.map(\.name))
        throw FunctionError(.usage, "There is no function \(name);\(near) see runner list.")
      }
      selection.names.insert(function.name)
    }
    guard rule == nil || manifest.functions.contains(where: { selection.takes($0.name) }) else {
      throw FunctionError(.usage, "--\(rule?.rawValue ?? "") leaves no function.")
    }
    return selection
  }

  package func takes(_ function: String) -> Bool {
    switch rule {
    case nil: true
    case .only: names.contains(function)
    case .except: !names.contains(function)
    }
  }

  /// By what runners know that they have the same functions, also where their versions of the bundle have not.
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
