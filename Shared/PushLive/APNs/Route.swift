import Notifications

/// The way to APNs with one key in one environment; used on the sender's loop only.
///
/// It has its own connections, because APNs binds a connection to the team, the key's environment and its topics.
final class Route {
  /// Its place in the sender's list.
  let place: Int
  let key: APNsKey
  let environment: PushEnvironment
  let id: ProviderTokenID
  /// The server's name in requests.
  let authority: String
  let connections: RouteConnections
  var queue = PushQueue()
  var flights = Flights()
  var token = RouteToken()
  /// Whether `pump` is called at the end of the loop's turn.
  var isPumpDue = false

  init(
    _ place: Int, _ key: APNsKey, _ environment: PushEnvironment, authority: String, limits: APNsSender.Limits
  ) {
    (self.place, self.key, self.environment, self.authority) = (place, key, environment, authority)
    id = key.tokenID(environment)
    connections = RouteConnections(limits)
  }
}
