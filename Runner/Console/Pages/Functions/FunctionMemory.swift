import Metrics

/// The memory of the runner, and what the processes of each function have for themselves, in bytes.
struct FunctionMemory {
  let runner: Int
  /// The memory by the function's name; a function without a process is left out.
  let functions: [String: Int]

  init(_ report: RunnerReport) async {
    runner = await ProcessMemory.resident
    var functions: [String: Int] = [:]
    for function in report.functions where !function.processIDs.isEmpty {
      functions[function.name] = await ProcessMemory.own(of: function.processIDs)
    }
    self.functions = functions
  }

  /// In MiB, with one decimal.
  static func text(_ bytes: Int) -> String {
    let tenths = (bytes * 10 + (1 << 19)) >> 20
    return "\(tenths / 10).\(tenths % 10) MiB"
  }
}
