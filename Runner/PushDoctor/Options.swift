import FunctionKit

/// The words of the command line.
struct Options: Equatable {
  var isLive = false
  /// Whether Apple's production servers may be asked.
  var asksProduction = false
  /// Whether FCM is asked if it would take a message.
  var validates = false
  var asJSON = false

  init(_ words: [String] = []) throws(FunctionError) {
    for word in words {
      switch word {
      case "--live": isLive = true
      case "--production": asksProduction = true
      case "--validate-only": validates = true
      case "--json": asJSON = true
      default: throw FunctionError(.usage, "Unknown argument \(word); see --help.")
      }
    }
    guard isLive || !asksProduction && !validates else {
      throw FunctionError(.usage, "--production and --validate-only go with --live.")
    }
  }
}
