import CLI
package import FunctionKit

extension Manifest {
  /// That there is no function of that name, and which one may be meant.
  package func lacks(_ function: String) -> FunctionError {
    let near = Suggestion.phrase(for: function, among: functions.map(\.name))
    return FunctionError(.usage, "There is no function \(function);\(near) see runner list.")
  }
}
