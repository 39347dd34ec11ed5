import FoundationEssentials

/// The pushes that wait for offline devices, as the services keep them.
///
/// APNs keeps only the newest push for each device and app. FCM keeps one for each collapse key, and all without a key.
struct HeldPushes: Sendable {
  /// The numbers of pushes that did not reach their device on arrival.
  private(set) var missed: Set<Int> = []
  /// The pushes that reached their device later: push `seq` came after push `after`.
  private(set) var late: [(after: Int, seq: Int)] = []
  private var waiting: [String: [Slot: Waiting]] = [:]

  /// The place in which a push replaces the one before it.
  enum Slot: Sendable, Hashable {
    case app(String)
    case key(String)
    case alone(Int)
  }

  private struct Waiting: Sendable {
    let seq: Int
    let expiresAt: Date?
  }

  /// The tokens with waiting pushes.
  var tokens: [String] { Array(waiting.keys) }

  var waitingSeqs: [Int] { waiting.values.flatMap { $0.values.map(\.seq) } }

  var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

  /// Takes a push to an offline device.
  ///
  /// - Parameter storage: where and until when it is kept; `nil` for a push that must arrive at once.
  mutating func hold(_ seq: Int, for token: String, _ storage: (slot: Slot, expiresAt: Date?)?) {
    missed.insert(seq)
    guard let storage else { return }
    waiting[token, default: [:]][storage.slot] = Waiting(seq: seq, expiresAt: storage.expiresAt)
  }

  /// The device is online again.
  ///
  /// Waiting pushes that have not expired reach it, in the order in which they were sent.
  mutating func deliver(to token: String, after lastSeq: Int, now: Date) {
    guard let slots = waiting.removeValue(forKey: token) else { return }
    let alive = slots.values.filter { $0.expiresAt.map { $0 > now } ?? true }
    late += alive.map(\.seq).sorted().map { (lastSeq, $0) }
  }

  mutating func noteLate(after lastSeq: Int, seq: Int) {
    late.append((lastSeq, seq))
  }

  /// The pushes in the order in which they reached their devices.
  func arrivals(_ history: [PushRecord]) -> [PushRecord] {
    guard !missed.isEmpty else { return history }
    let bySeq = Dictionary(history.map { ($0.seq, $0) }) { $1 }
    var (arrivals, next): ([PushRecord], Int) = ([], 0)
    for record in history {
      while next < late.count, late[next].after < record.seq {
        bySeq[late[next].seq].map { arrivals.append($0) }
        next += 1
      }
      if !missed.contains(record.seq) { arrivals.append(record) }
    }
    return arrivals + late[next...].compactMap { bySeq[$0.seq] }
  }
}
