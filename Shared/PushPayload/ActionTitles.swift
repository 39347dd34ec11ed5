/// The texts of buttons in other languages than English; the files of `Shared/Notifications/Languages` have the same.
struct ActionTitles: Sendable {
  let titles: [PushAction: String]
  let input: PushAction.TextInput

  /// The texts of the language of a tag, such as `de` or `pt-BR`; `nil` for one without texts, and for English.
  static func of(_ tag: String) -> ActionTitles? {
    all[tag.prefix { $0 != "-" && $0 != "_" }.lowercased()]
  }

  private static let all: [String: ActionTitles] = [
    "ar": arabic, "de": german, "es": spanish, "fr": french, "ja": japanese, "pt": portuguese,
  ]

  private static let arabic = ActionTitles(
    titles: [
      .voteYes: "نعم",
      .voteMaybe: "ربما",
      .voteNo: "لا",
      .muteGroup: "كتم المجموعة ساعة",
      .openEvent: "فتح",
      .getDirections: "عرض الاتجاهات",
      .snooze: "تأجيل ٥ دقائق",
      .viewConflict: "عرض التعارض",
      .messageFriend: "مراسلة",
      .acceptFriend: "قبول",
      .viewProfile: "عرض الملف الشخصي",
      .declineFriend: "رفض",
      .viewGroup: "عرض المجموعة",
      .acceptGroup: "قبول",
      .declineGroup: "رفض",
      .addPhoto: "إضافة صورة",
      .maybeLater: "ربما لاحقًا",
      .reply: "رد",
      .markRead: "تمييز كمقروء",
      .helpful: "👍 مفيد",
      .notHelpful: "👎 غير مفيد",
    ], input: PushAction.TextInput(buttonTitle: "إرسال", placeholder: "اكتب رسالة…"))

  private static let german = ActionTitles(
    titles: [
      .voteYes: "Ja",
      .voteMaybe: "Vielleicht",
      .voteNo: "Nein",
      .muteGroup: "Gruppe 1 Stunde stummschalten",
      .openEvent: "Öffnen",
      .getDirections: "Route anzeigen",
      .snooze: "In 5 Min. erinnern",
      .viewConflict: "Überschneidung ansehen",
      .messageFriend: "Nachricht",
      .acceptFriend: "Annehmen",
      .viewProfile: "Profil ansehen",
      .declineFriend: "Ablehnen",
      .viewGroup: "Gruppe ansehen",
      .acceptGroup: "Annehmen",
      .declineGroup: "Ablehnen",
      .addPhoto: "Foto hinzufügen",
      .maybeLater: "Vielleicht später",
      .reply: "Antworten",
      .markRead: "Als gelesen markieren",
      .helpful: "👍 Hilfreich",
      .notHelpful: "👎 Nicht hilfreich",
    ], input: PushAction.TextInput(buttonTitle: "Senden", placeholder: "Nachricht eingeben …"))

  private static let spanish = ActionTitles(
    titles: [
      .voteYes: "Sí",
      .voteMaybe: "Quizá",
      .voteNo: "No",
      .muteGroup: "Silenciar grupo 1 hora",
      .openEvent: "Abrir",
      .getDirections: "Cómo llegar",
      .snooze: "Recordar en 5 min",
      .viewConflict: "Ver conflicto",
      .messageFriend: "Mensaje",
      .acceptFriend: "Aceptar",
      .viewProfile: "Ver perfil",
      .declineFriend: "Rechazar",
      .viewGroup: "Ver grupo",
      .acceptGroup: "Aceptar",
      .declineGroup: "Rechazar",
      .addPhoto: "Añadir foto",
      .maybeLater: "Quizá más tarde",
      .reply: "Responder",
      .markRead: "Marcar como leído",
      .helpful: "👍 Útil",
      .notHelpful: "👎 No es útil",
    ], input: PushAction.TextInput(buttonTitle: "Enviar", placeholder: "Escribe un mensaje…"))

  private static let french = ActionTitles(
    titles: [
      .voteYes: "Oui",
      .voteMaybe: "Peut-être",
      .voteNo: "Non",
      .muteGroup: "Groupe en sourdine 1 h",
      .openEvent: "Ouvrir",
      .getDirections: "Itinéraire",
      .snooze: "Rappeler dans 5 min",
      .viewConflict: "Voir le conflit",
      .messageFriend: "Message",
      .acceptFriend: "Accepter",
      .viewProfile: "Voir le profil",
      .declineFriend: "Refuser",
      .viewGroup: "Voir le groupe",
      .acceptGroup: "Accepter",
      .declineGroup: "Refuser",
      .addPhoto: "Ajouter une photo",
      .maybeLater: "Peut-être plus tard",
      .reply: "Répondre",
      .markRead: "Marquer comme lu",
      .helpful: "👍 Utile",
      .notHelpful: "👎 Pas utile",
    ], input: PushAction.TextInput(buttonTitle: "Envoyer", placeholder: "Écrivez un message…"))

  private static let japanese = ActionTitles(
    titles: [
      .voteYes: "はい",
      .voteMaybe: "たぶん",
      .voteNo: "いいえ",
      .muteGroup: "グループを1時間ミュート",
      .openEvent: "開く",
      .getDirections: "経路を表示",
      .snooze: "5分後に再通知",
      .viewConflict: "予定の重なりを見る",
      .messageFriend: "メッセージ",
      .acceptFriend: "承認",
      .viewProfile: "プロフィールを見る",
      .declineFriend: "拒否",
      .viewGroup: "グループを見る",
      .acceptGroup: "承認",
      .declineGroup: "辞退",
      .addPhoto: "写真を追加",
      .maybeLater: "また後で",
      .reply: "返信",
      .markRead: "既読にする",
      .helpful: "👍 役に立った",
      .notHelpful: "👎 役に立たなかった",
    ], input: PushAction.TextInput(buttonTitle: "送信", placeholder: "メッセージを入力…"))

  private static let portuguese = ActionTitles(
    titles: [
      .voteYes: "Sim",
      .voteMaybe: "Talvez",
      .voteNo: "Não",
      .muteGroup: "Silenciar grupo por 1 hora",
      .openEvent: "Abrir",
      .getDirections: "Ver rota",
      .snooze: "Adiar 5 min",
      .viewConflict: "Ver conflito",
      .messageFriend: "Mensagem",
      .acceptFriend: "Aceitar",
      .viewProfile: "Ver perfil",
      .declineFriend: "Recusar",
      .viewGroup: "Ver grupo",
      .acceptGroup: "Aceitar",
      .declineGroup: "Recusar",
      .addPhoto: "Adicionar foto",
      .maybeLater: "Talvez mais tarde",
      .reply: "Responder",
      .markRead: "Marcar como lida",
      .helpful: "👍 Útil",
      .notHelpful: "👎 Não é útil",
    ], input: PushAction.TextInput(buttonTitle: "Enviar", placeholder: "Escreva uma mensagem…"))
}
