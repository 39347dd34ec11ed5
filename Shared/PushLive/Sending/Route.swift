import Notifications

/// The way to APNs with one key in one environment; used on the sender's loop only.
///
/// It has its own connections, because APNs binds a connection to the team, the key's environment and its topics.
final class Route {
  /// Its place in the sender's list.
  let place: Int
  let key: APNsKey
  let environment: PushEnvironment
  var connections: [RouteConnection] = []
  var isConnecting = false
  var reconnection = Reconnection()
  var queue = PushQueue()
  var flights = Flights()
  /// Pushes that wait until another one has tried.
  var parked: [PushQueue.Entry] = []
  /// Pushes that had an expired token and wait for a new one.
  var expired: [(flight: Flight, report: PushReport)] = []
  var token = RouteToken()
  var growth = RouteGrowth()
  /// Whether `pump` is called at the end of the loop's turn.
  var isPumpDue = false
  let id: ProviderTokenID
  /// The server's name in requests.
  let authority: String
  private var lastConnection = 0

  init(_ place: Int, _ key: APNsKey, _ environment: PushEnvironment, authority: String) {
    (self.place, self.key, self.environment, self.authority) = (place, key, environment, authority)
    id = key.tokenID(environment)
  }

  /// A connection for the next push: the first with a free stream.
  ///
  /// A new connection gets one push alone.
  var nextConnection: RouteConnection? {
    let free = connections.lazy.filter { $0.room > 0 && $0.takes(self.token.authorization) }
    return free.first { !$0.isProven } ?? free.first
  }

  /// Whether there is no connection that pushes could wait for.
  var isCutOff: Bool { !isConnecting && !connections.contains(where: \.isUsable) }

  func connection(_ number: Int) -> RouteConnection? { connections.first { $0.number == number } }

  func nextNumber() -> Int {
    lastConnection += 1
    return lastConnection
  }

  /// Takes pushes whose wait is over.
  func unpark() {
    for entry in parked.reversed() { queue.putBack(entry) }
    parked = []
  }
}
