"""Texts that the PDFs beside this file were printed from, by language."""

from __future__ import annotations

# ruff: noqa: E501, RUF001 - prose in many scripts

TEXTS = {
    "en": [
        "The first column of this page holds a paragraph that is long enough to be broken into a good number of lines, so that whoever reads it from the left to the right across the gutter gets nonsense.",
        "A second paragraph follows, about archives and libraries, catalogues and manuscripts, and about the responsibilities of those who keep them for generations to come.",
        "The third one speaks of permanence: a citation should lead to exactly the same words in a hundred years, wherever they are kept, and whoever keeps them.",
        "Everyone has the right to freedom of opinion and expression; this right includes freedom to hold opinions without interference and to seek, receive and impart information and ideas through any media and regardless of frontiers.",
        "No one shall be subjected to arbitrary interference with his privacy, family, home or correspondence, nor to attacks upon his honour and reputation.",
    ],
    "fi": [
        "The official affinity of different offices: fluffy waffles, first flights, affluent fjords, efficient baffling coffins, and a final refill of coffee.",
        "Five offices offered different definitions; afflicted staff finally filed the official findings, and the file itself was found sufficient.",
    ],
    "compounds": [
        "Characteristically incomprehensible representations unquestionably necessitate extraordinary circumspection, notwithstanding misunderstandings among correspondents.",
        "The well-known documentation is self-explanatory; well-known authorities nevertheless recommend comprehensive explanations, and self-explanatory illustrations accompany internationally distributed publications.",
    ],
    "de": [
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
        "Jeder hat das Recht, überall als rechtsfähig anerkannt zu werden; außerdem größere Öffentlichkeit, „süße“ Grüße und mäßige Überraschungen.",
    ],
    "cs": [
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.",
    ],
    "el": [
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
    ],
    "ru": [
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    ],
    "ar": [
        "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.",
        "تأسست المكتبة عام 1923 وفيها 45 كتابا (من بينها كتب نادرة) عن permacite والأرشيف، ونسبة الكتب القديمة 12.5 في المئة.",
        "لكل فرد الحق في الحياة والحرية وفي الأمان على شخصه. لا يجوز استرقاق أحد أو استعباده، ويحظر الاسترقاق والاتجار بالرقيق بجميع صورهما.",
    ],
    "he": [
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה.",
        "הספרייה נוסדה בשנת 1923 ויש בה 45 ספרים (חלקם נדירים) על permacite והארכיון, ומחירם 12.5 שקלים [בערך].",
        "כל אדם זכאי לזכויות ולחירויות שנקבעו בהכרזה זו (ללא הפליה כלשהי) מטעמי גזע, צבע, מין, לשון ודת.",
    ],
    "hi": [
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
        "पुस्तकालय की स्थापना सन् १९२३ में हुई थी। यह हिन्दी में लिखा हुआ एक छोटा अनुच्छेद है जिसमें कई शब्द और वाक्य हैं।",
    ],
    "zh": [
        "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有资格享有本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教、政治或其他见解。",
        "图书馆成立于1923年，藏书四十五册。",
    ],
    "ja": [
        "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
        "図書館は一九二三年に設立され、四十五冊の本「稀覯書」がある。",
    ],
    "ko": [
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
        "모든 사람은 인종, 피부색, 성, 언어, 종교, 정치적 또는 기타의 견해, 민족적 또는 사회적 출신, 재산, 출생 또는 기타의 신분과 같은 어떠한 종류의 차별이 없이 이 선언에 규정된 모든 권리와 자유를 향유할 자격이 있다.",
        "도서관은 1923년에 세워졌으며 책 45권이 있다.",
    ],
    "letters": [
        "Letter spaced words are told apart by the gaps of their own line and no rule of thumb reads them all."
    ],
    "capitals": [
        "Small Capitals Of The House Of Permanence Stand In Many Old Books, And Names Like Ada Lovelace Or Vannevar Bush Are Set In Them."
    ],
}
NOTED = ("The text has a note here", " and goes on after it without a break.")
NOTE = "This is the note at the end of the page, and it is long enough for two lines of small type."
ROWS = [
    ("Alpha", "one hundred", "12.5"),
    ("Beta", "two hundred", "7.25"),
    ("Gamma", "three hundred", "1.75"),
    ("Delta", "four hundred", "0.5"),
]
SYLLABLES = (
    "Well-known charac|teris|ti|cal|ly in|com|pre|hen|si|ble rep|re|sen|ta|tions un|ques|tion|ably ne|ces|si|tate "
    "ex|traor|di|nary cir|cum|spec|tion, not|with|stand|ing mis|un|der|stand|ings among cor|re|spon|dents. "
    "The well-known doc|u|men|ta|tion is well-known in|ter|na|tion|al|ly."
)
