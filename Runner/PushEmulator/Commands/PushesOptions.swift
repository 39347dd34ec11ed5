/// The command line of `push-emulator pushes`.
struct PushesOptions: Sendable, Equatable {
  var json = false
  var follow = false
  var last = 20

  init(_ words: some Collection<String>) throws(EmulatorError) {
    var rest = Words(words)
    while let word = rest.next() {
      switch word {
      case "--json": json = true
      case "--follow": follow = true
      case "--last": last = try rest.number(of: word, in: 1...PushHistory.defaultCapacity)
      default: throw .usage("pushes: unknown argument \(word); see --help.")
      }
    }
  }
}
