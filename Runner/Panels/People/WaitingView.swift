import Console
import Documents

/// The notifications that wait, and who gets them when: `Grace: 3 votes on Night mode, told in one message at 18:49`.
struct WaitingView {
  /// The ones that are due first.
  let waiting: [PeopleDocument.Waiting]
  /// Where people's pages are.
  let place: NavigationEntry

  /// The most whose texts are drawn: a page of many would be heavy.
  static let mostDrawn = 10

  var html: HTML {
    var drawn: Set<RowID> = []
    return tag(.ul, .class("plain block")) {
      for (index, one) in waiting.enumerated() {
        tag(.li) {
          sentence(one)
          if let messages = one.messages {
            if messages.isEmpty { tag(.small) { ", but as things stand no push goes out then" } }
            for message in messages.prefix(PeopleDocument.Waiting.mostSaid) {
              text(of: message, of: one, isDrawn: !drawn.insert(message.newest).inserted)
            }
          } else if index < Self.mostDrawn {
            texts(of: one)
          }
        }
      }
    }
  }

  @HTMLBuilder private func sentence(_ waiting: PeopleDocument.Waiting) -> HTML {
    link(title(of: waiting.person), to: Address(place.path, waiting.person.id.description))
    ": "
    name(waiting.sentence, longest: 200)
    " "
    time(waiting.until)
    tag(.small) { name(" \(waiting.app), \(waiting.reason.words)", longest: 200) }
  }

  /// The push that a person will get, and what becomes of the one that their phone shows.
  @HTMLBuilder private func text(
    of message: PeopleDocument.Message, of waiting: PeopleDocument.Waiting, isDrawn: Bool
  ) -> HTML {
    if isDrawn {
      tag(.small) { ", in the message above" }
    } else {
      tag(.small) {
        if message.count > waiting.count { ", in one message with \(message.count - waiting.count) more of these" }
        if let old = message.replaces {
          let words = [old.title, old.body].compactMap(\.self).joined(separator: ": ")
          name(", instead of “\(words.clipped(to: 120).isolated)” on their phone", longest: 200)
          message.countsReplaced == true ? ", which it counts, too" : ", which it leaves out"
        }
      }
      SaidView(said: message.said, app: waiting.app, isBrief: true).html
    }
  }

  /// The texts of those that wait, where nobody knows yet what is made of them.
  @HTMLBuilder private func texts(of waiting: PeopleDocument.Waiting) -> HTML {
    if let said = waiting.said {
      if waiting.isToldTogether {
        tag(.small) { ", made of what these say, the newest first" }
      } else if waiting.reason == "batched" {
        tag(.small) { ", added to what their phone shows" }
      }
      for one in said { SaidView(said: one, app: waiting.app, isBrief: true).html }
    }
  }
}
