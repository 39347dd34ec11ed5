/// How much is measured.
enum Effort {
  /// Small sizes and short times, to see whether the benchmark itself works: its figures say little.
  case quick
  case normal
  /// As long as the promises say, which takes half an hour.
  case long

  /// The words of the command line that ask for it.
  var words: [String] { choose(quick: ["--quick"], normal: [], long: ["--long"]) }

  /// The value for this effort; the long effort takes the normal one unless another is given.
  func choose<Value>(quick: Value, normal: Value, long: Value? = nil) -> Value {
    switch self {
    case .quick: quick
    case .normal: normal
    case .long: long ?? normal
    }
  }
}
