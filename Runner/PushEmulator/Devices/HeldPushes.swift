import FoundationEssentials
import FunctionKit

/// The pushes that wait for offline devices, as the services keep them.
///
/// APNs keeps only the newest push for each device and app. FCM keeps one for each collapse key, and all without a key.
struct HeldPushes: Sendable {
  /// The numbers of pushes that did not reach their device on arrival.
  private var missed: Set<Int> = []
  /// The pushes that reached their device later: push `seq` came after push `after`.
  private var late: [(after: Int, seq: Int)] = []
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

  private var waitingSeqs: [Int] { waiting.values.flatMap { $0.values.map(\.seq) } }

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
  /// - Returns: the numbers of these pushes.
  mutating func deliver(to token: String, after lastSeq: Int, now: Date) -> [Int] {
    guard let slots = waiting.removeValue(forKey: token) else { return [] }
    let alive = slots.values.filter { $0.expiresAt.map { $0 > now } ?? true }
    let seqs = alive.map(\.seq).sorted()
    late += seqs.map { (lastSeq, $0) }
    return seqs
  }

  private mutating func noteLate(after lastSeq: Int, seq: Int) {
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

extension HeldPushes {
  /// The numbers of waiting and late pushes, for `GET /snapshot`.
  var json: RawJSON {
    let late = late.map { RawJSON(array: [RawJSON($0.after), RawJSON($0.seq)]) }
    return RawJSON(object: [
      ("waiting", RawJSON(array: waitingSeqs.sorted().map { RawJSON($0) })), ("late", RawJSON(array: late)),
    ])
  }

  /// Reads the form of ``json``.
  ///
  /// The rest is in the pushes themselves.
  init(_ json: RawJSON?, _ history: PushHistory) throws(BadRequest) {
    self.init()
    for record in history.all where record.json["offline"] != nil && record.channel == nil {
      hold(record.seq, for: record.token, nil)
    }
    for element in json?["waiting"]?.elements ?? [] {
      guard let record = element.intValue.flatMap({ history[$0] }) else {
        throw BadRequest("held.waiting names a push that is not in the snapshot.")
      }
      hold(record.seq, for: record.token, record.storage)
    }
    for pair in json?["late"]?.elements ?? [] {
      guard let numbers = pair.elements?.compactMap(\.intValue), numbers.count == 2 else {
        throw BadRequest("held.late has pairs of numbers.")
      }
      noteLate(after: numbers[0], seq: numbers[1])
    }
  }
}

extension PushRecord {
  /// Where the push waits, and until when.
  fileprivate var storage: (slot: HeldPushes.Slot, expiresAt: Date?) {
    let expiresAt = json["expiration"]?.intValue.map { Date(timeIntervalSince1970: Double($0)) }
    guard service == .fcm else { return (.app(SimulatorFile.bundleID(of: self) ?? ""), expiresAt) }
    let key = json["payload"]?["android"]?.either("collapse_key", "collapseKey")?.stringValue
    return (key.map { .key($0) } ?? .alone(seq), expiresAt)
  }
}

extension Judgement {
  /// The place of the push while its device is offline, and the time until which it is kept; `nil` if it is not kept.
  func storage(seq: Int, now: Date) -> (slot: HeldPushes.Slot, expiresAt: Date?)? {
    let expiresAt = expiration.map { Date(timeIntervalSince1970: Double($0)) }
    guard expiresAt.map({ $0 > now }) ?? true else { return nil }
    switch service {
    case .fcm: return (collapseKey.map { .key($0) } ?? .alone(seq), expiresAt)
    case .apns, .oauth, .channels: return (.app(app ?? ""), expiresAt)
    }
  }
}
