package import CLI
package import FunctionKit

/// Which functions of its bundle a runner has: all, only some, or all but some.
package struct FunctionSelection: Sendable, Equatable {
  private enum Rule: String, CaseIterable {
    case only, except
  }

  private var rule: Rule?
  private var names: Set<String> = []

  package init() {}

  /// Takes `--only` and `--except`, whose values are names separated by commas; each may be given several times.
  package init(_ arguments: inout CommandArguments) throws(FunctionError) {
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
  /// The manifest with some of its functions; the others are ``elsewhere``.
  package func selecting(_ selection: FunctionSelection) -> Manifest {
    var manifest = self
    manifest.functions = functions.filter { selection.takes($0.name) }
    manifest.elsewhere = functions.filter { !selection.takes($0.name) }
    return manifest
  }

  /// The manifest with all functions again.
  package var whole: Manifest {
    var manifest = self
    (manifest.functions, manifest.elsewhere) = (functions + elsewhere, [])
    return manifest
  }
}
