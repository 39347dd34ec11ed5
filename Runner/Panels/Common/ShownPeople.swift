import Documents

// What pages that name people show of them: an address only where there is no name.

extension PersonSummary {
  var asShown: PersonSummary {
    PersonSummary(id: id, name: name, email: name == nil ? email : nil, timeZone: timeZone)
  }
}

extension ExplainDocument {
  var asShown: ExplainDocument {
    var document = self
    for index in handlings.indices { document.handlings[index].people = handlings[index].people.map(\.asShown) }
    return document
  }
}

extension RecentDocument.Handled {
  var asShown: Self {
    var handled = self
    (handled.people, handled.otherPushes) = (people?.map(\.asShown), otherPushes?.map(\.asShown))
    return handled
  }
}

extension PhonesDocument {
  var asShown: PhonesDocument {
    var document = self
    for index in phones.indices { document.phones[index].person = phones[index].person?.asShown }
    return document
  }
}

extension DecisionReport {
  fileprivate var asShown: DecisionReport {
    var report = self
    report.person = person.asShown
    return report
  }
}
