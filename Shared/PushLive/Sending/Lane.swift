import Notifications

/// The way to APNs with one key in one environment; used on the sender's loop only.
///
/// It has connections of its own, because APNs binds a connection to the team, the key's environment and its topics.
final class Lane {
  /// Its place in the sender's list.
  let place: Int
  let key: APNsKey
  let environment: PushEnvironment
  var connections: [LaneConnection] = []
  var isConnecting = false
  var reconnection = Reconnection()
  var queue = PushQueue()
  var flights = Flights()
  /// Pushes that wait for another to try for them.
  var parked: [PushQueue.Entry] = []
  /// Pushes that carried an expired token and wait for a new one.
  var expired: [(flight: Flight, report: PushReport)] = []
  var token = LaneToken()
  var growth = LaneGrowth()
  /// Whether `pump` is called at the end of the loop's turn.
  var isPumpDue = false
  let id: ProviderTokenID
  /// The server as requests name it.
  let authority: String
  private var lastConnection = 0

  init(_ place: Int, _ key: APNsKey, _ environment: PushEnvironment, authority: String) {
    (self.place, self.key, self.environment, self.authority) = (place, key, environment, authority)
    id = key.tokenID(environment)
  }

  /// A connection for the next push: a new one for its first push alone, else the first with a free stream.
  var nextConnection: LaneConnection? {
    let free = connections.lazy.filter { $0.room > 0 && $0.takes(self.token.authorization) }
    return free.first { !$0.isProven } ?? free.first
  }

  /// Whether there is none that pushes could wait for.
  var isCutOff: Bool { !isConnecting && !connections.contains(where: \.isUsable) }

  func connection(_ number: Int) -> LaneConnection? { connections.first { $0.number == number } }

  func nextNumber() -> Int {
    lastConnection += 1
    return lastConnection
  }

  /// Takes pushes that waited for something that has happened now.
  func unpark() {
    for entry in parked.reversed() { queue.putBack(entry) }
    parked = []
  }
}
