/// The choice of the traces that are recorded: `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`.
///
/// Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration
package struct TraceSampler: Sendable, Equatable {
  /// The share of the traces that begin here, from 0 to 1.
  private var share = 1.0
  /// Whether a caller's decision counts for its trace.
  private var isParentBased = true

  init() {}

  /// Reads the variables.
  ///
  /// - Parameters:
  ///   - variable: the value of an environment variable.
  ///   - problem: told what is wrong; then everything is recorded.
  package init(_ variable: (String) -> String?, problem: (String) -> Void) {
    let name = variable("OTEL_TRACES_SAMPLER")?.lowercased() ?? "parentbased_always_on"
    isParentBased = name.hasPrefix("parentbased_")
    switch isParentBased ? name.dropFirst(12) : name[...] {
    case "always_on": break
    case "always_off": share = 0
    case "traceidratio":
      guard let text = variable("OTEL_TRACES_SAMPLER_ARG") else { break }
      guard let ratio = Double(text), 0...1 ~= ratio else {
        problem("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.")
        break
      }
      share = ratio
    default:
      isParentBased = true
      problem(
        "OTEL_TRACES_SAMPLER must be always_on, always_off, traceidratio, or one of them behind parentbased_.")
    }
  }

  /// Whether a trace that begins here is recorded: the same for all who ask.
  private func samples(_ root: TraceContext) -> Bool {
    share >= 1 || Double(root.low >> 11) < share * 9_007_199_254_740_992
  }

  func samples(_ context: TraceContext, isRoot: Bool) -> Bool {
    isParentBased && !isRoot ? context.isSampled : samples(context)
  }
}
