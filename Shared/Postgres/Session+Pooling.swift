import CPostgres

// Behind a pooler in transaction mode each transaction may run in another session of the server, which other clients
// have left as they liked: nothing can be prepared, and every transaction sets its own parameters.
extension Session {
  /// The statement that sets the parameters of a transaction that begins now; `nil` where the session keeps them.
  var settingsOfTransaction: SQL? { setsOfTransaction.map { SQL(unescaped: $0) } }

  /// The text of a request that may be a transaction by itself, with what sets its parameters.
  func withSettings(_ text: String) -> (text: String, added: Int) {
    guard !text.isEmpty, let sets = setsOfTransaction else { return (text, 0) }
    return ("\(sets); \(text)", 1)
  }

  private var setsOfTransaction: String? {
    guard string.isPooled, PQtransactionStatus(raw) == PQTRANS_IDLE else { return nil }
    return "select " + settings.all.map { "set_config('\($0.name)', '\($0.value)', true)" }.joined(separator: ", ")
  }
}
