"""Bibliographic metadata of pages, from markup as real sites write it.

Each case is what the head of such a page holds, cut down to what bears on a reference, with values
of ours; the expected values were settled by reading the page as its site means it.
"""

# ruff: noqa: E501 - markup stands as pages have it

from __future__ import annotations

from typing import NamedTuple

import pytest

from permacite.bibliography import Claim, Place, gather, reference
from permacite.bibliography.choosing import doi, isbn, issn, language, people, person
from permacite.bibliography.dates import parse_date
from permacite.markup import Document


class Case(NamedTuple):
    """The markup of a page and what it says: fields as text, and where they are stated."""

    markup: str
    expected: dict[str, str]
    places: dict[str, str] | None = None


def json_ld(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


CASES = {
    "a journal by Open Journal Systems": Case(
        """<title>Tides of the north | Journal of Tides</title>
        <meta name="citation_journal_title" content="Journal of Tides"/>
        <meta name="citation_issn" content="2049-3630"/>
        <meta name="citation_author" content="Ann Lee"/>
        <meta name="citation_author_institution" content="Harbour University"/>
        <meta name="citation_author" content="Bo van der Ek"/>
        <meta name="citation_title" content="Tides of the north"/>
        <meta name="citation_language" content="en"/>
        <meta name="citation_date" content="2019/04/09"/>
        <meta name="citation_volume" content="12"/><meta name="citation_issue" content="3"/>
        <meta name="citation_firstpage" content="17"/><meta name="citation_lastpage" content="31"/>
        <meta name="citation_doi" content="10.1000/tides.1"/>
        <meta name="DC.Creator.PersonalName" content="Ann Lee"/>
        <meta name="DC.Date.issued" content="2019-04-09"/>""",
        {
            "type": "article-journal",
            "title": "Tides of the north",
            "authors": "Lee, Ann; van der Ek, Bo",
            "issued": "2019-04-09",
            "container": "Journal of Tides",
            "volume": "12",
            "issue": "3",
            "pages": "17-31",
            "doi": "10.1000/tides.1",
            "issn": "2049-3630",
            "language": "en",
        },
        {"title": "citation_*: citation_title", "issued": "citation_*: citation_date"},
    ),
    "a preprint server": Case(
        """<title>[1706.00001] Attention to tides</title>
        <meta name="citation_title" content="Attention to tides"/>
        <meta name="citation_author" content="Lee, Ann"/><meta name="citation_author" content="Ek, Bo"/>
        <meta name="citation_date" content="2017/06/12"/>
        <meta name="citation_online_date" content="2023/08/02"/>
        <meta name="citation_arxiv_id" content="1706.00001"/>
        <meta property="og:site_name" content="Preprints"/>""",
        {
            "type": "webpage",
            "title": "Attention to tides",
            "authors": "Lee, Ann; Ek, Bo",
            "issued": "2017-06-12",
            "site": "Preprints",
        },
    ),
    "a publisher with PRISM and Dublin Core": Case(
        """<meta name="dc.title" content="Tides"><meta name="dc.creator" content="Lee, Ann">
        <meta name="dc.creator" content="Ek, Bo"><meta name="dc.date" content="2020-05-06">
        <meta name="dc.publisher" content="Harbour Press"><meta name="dc.language" content="En">
        <meta name="prism.publicationName" content="Journal of Tides">
        <meta name="prism.volume" content="7"><meta name="prism.number" content="2">
        <meta name="prism.startingPage" content="5"><meta name="prism.endingPage" content="5">
        <meta name="prism.issn" content="1476-4687"><meta name="prism.doi" content="doi:10.1000/a.b">""",
        {
            "type": "article-journal",
            "title": "Tides",
            "authors": "Lee, Ann; Ek, Bo",
            "issued": "2020-05-06",
            "container": "Journal of Tides",
            "publisher": "Harbour Press",
            "volume": "7",
            "issue": "2",
            "pages": "5",
            "doi": "10.1000/a.b",
            "language": "En",
        },
    ),
    "a repository of a university": Case(
        """<meta name="DC.creator" content="Lee, Ann"/><meta name="DC.title" content="On tides"/>
        <meta name="DCTERMS.issued" content="2011-09"/><meta name="DC.identifier" content="https://hdl.handle.net/1/2"/>
        <meta name="citation_dissertation_institution" content="Harbour University"/>
        <meta name="citation_author" content="Lee, Ann"/><meta name="citation_title" content="On tides"/>
        <meta name="citation_publication_date" content="2011-09"/>""",
        {
            "type": "thesis",
            "title": "On tides",
            "authors": "Lee, Ann",
            "issued": "2011-09",
            "publisher": "Harbour University",
        },
    ),
    "a chapter": Case(
        """<meta name="citation_inbook_title" content="The book of tides">
        <meta name="citation_title" content="Neap tides"><meta name="citation_author" content="A. Lee">
        <meta name="citation_isbn" content="978-3-16-148410-0"><meta name="citation_publication_date" content="2004">
        <meta name="citation_firstpage" content="80"><meta name="citation_publisher" content="Harbour">""",
        {
            "type": "chapter",
            "title": "Neap tides",
            "container": "The book of tides",
            "authors": "Lee, A.",
            "issued": "2004",
            "isbn": "978-3-16-148410-0",
            "pages": "80",
            "publisher": "Harbour",
        },
    ),
    "a conference": Case(
        """<meta name="citation_conference_title" content="Tides 2018">
        <meta name="citation_authors" content="Lee, Ann; Ek, Bo"><meta name="citation_title" content="Waves">
        <meta name="citation_publication_date" content="2018/10">""",
        {
            "type": "paper-conference",
            "title": "Waves",
            "authors": "Lee, Ann; Ek, Bo",
            "container": "Tides 2018",
            "issued": "2018-10",
        },
    ),
    "a report": Case(
        """<meta name="citation_technical_report_institution" content="Harbour Office">
        <meta name="citation_title" content="Depths"><meta name="citation_author" content="Harbour Office">
        <meta name="citation_year" content="1999">""",
        {"type": "report", "title": "Depths", "authors": "Harbour Office", "issued": "1999"},
    ),
    "a newspaper in JSON-LD": Case(
        json_ld(
            """{"@context":"https://schema.org","@type":"NewsArticle","headline":"The harbour is closed",
            "datePublished":"2021-02-03T23:30:00-05:00","dateModified":"2021-02-05",
            "author":[{"@type":"Person","name":"Ann Lee"},{"@type":"Person","name":"Bo Ek"}],
            "publisher":{"@type":"NewsMediaOrganization","name":"The Herald"},"inLanguage":"en"}"""
        )
        + '<title>The harbour is closed - The Herald</title><meta property="og:site_name" content="The Herald">',
        {
            "type": "article-newspaper",
            "title": "The harbour is closed",
            "authors": "Lee, Ann; Ek, Bo",
            "issued": "2021-02-03",
            "publisher": "The Herald",
            "site": "The Herald",
            "language": "en",
        },
        {"authors": "JSON-LD: NewsArticle.author"},
    ),
    "a graph of JSON-LD whose nodes refer to each other": Case(
        json_ld(
            """{"@context":"https://schema.org","@graph":[
            {"@type":"WebSite","@id":"#site","name":"Harbour blog"},
            {"@type":"WebPage","@id":"#page","name":"Tides explained - Harbour blog","datePublished":"2020-01-01"},
            {"@type":["Article","BlogPosting"],"headline":"Tides explained","author":{"@id":"#ann"},
             "isPartOf":{"@id":"#page"},"datePublished":"2020-01-02T08:00:00+00:00"},
            {"@type":"Person","@id":"#ann","name":"Ann Lee"}]}"""
        ),
        {
            "type": "post-weblog",
            "title": "Tides explained",
            "authors": "Lee, Ann",
            "issued": "2020-01-02",
            "site": "Harbour blog",
        },
    ),
    "an encyclopedia": Case(
        "<html lang=en><title>Tide - Encyclopedia</title>"
        + json_ld(
            r"""{"@context":"https:\/\/schema.org","@type":"Article","name":"Tide",
            "author":{"@type":"Organization","name":"Contributors to projects"},
            "publisher":{"@type":"Organization","name":"Foundation, Inc."},
            "datePublished":"2001-10-29T01:59:14Z","headline":"rise and fall of the sea"}"""
        ),
        {
            "type": "webpage",
            "title": "Tide",
            "authors": "Contributors to projects",
            "publisher": "Foundation, Inc.",
            "issued": "2001-10-29",
            "language": "en",
        },
    ),
    "a journal article in JSON-LD, within issue and volume": Case(
        json_ld(
            """{"@context":"http://schema.org/","@type":"ScholarlyArticle","name":"Ebb",
            "author":{"@type":"Person","givenName":"Ann","familyName":"Lee","name":"Ann Lee"},
            "pageStart":"1","pageEnd":"9","sameAs":"https://doi.org/10.1000/ebb%281%29",
            "isPartOf":{"@type":"PublicationIssue","issueNumber":4,"datePublished":"2002",
              "isPartOf":{"@type":["PublicationVolume","Periodical"],"name":"Sea","issn":["2049-3630"],"volumeNumber":"2"}}}"""
        ),
        {
            "type": "article-journal",
            "title": "Ebb",
            "authors": "Lee, Ann",
            "container": "Sea",
            "volume": "2",
            "issue": "4",
            "pages": "1-9",
            "issn": "2049-3630",
            "doi": "10.1000/ebb(1)",
        },
    ),
    "a data set": Case(
        json_ld(
            """{"@context":"https://schema.org/","@type":"Dataset","@id":"https://doi.org/10.5281/z.7",
            "identifier":{"@type":"PropertyValue","value":"x"},"name":"Tide tables",
            "creator":[{"@type":"Person","name":"Lee, Ann"}],"datePublished":"2022-07-01",
            "publisher":{"@type":"Organization","name":"Data house"}}"""
        ),
        {
            "type": "dataset",
            "title": "Tide tables",
            "authors": "Lee, Ann",
            "issued": "2022-07-01",
            "publisher": "Data house",
            "doi": "10.5281/z.7",
        },
    ),
    "JSON-LD in a CDATA section": Case(
        json_ld('\n//<![CDATA[\n{"@type":"Article","headline":"Ebb","author":"Ann Lee"}\n//]]>\n'),
        {"title": "Ebb", "authors": "Lee, Ann"},
    ),
    "JSON-LD that is none": Case(
        json_ld('{"@type":"Article","headline":"Ebb",}') + "<title>Ebb and flow</title>",
        {"type": "webpage", "title": "Ebb and flow", "authors": ""},
        {"title": "HTML: title"},
    ),
    "a recipe beside breadcrumbs and its organization": Case(
        json_ld('{"@type":"BreadcrumbList","name":"Home"}')
        + json_ld('{"@type":"Organization","name":"Cooks"}')
        + json_ld('{"@type":"WebPage","name":"Soup","inLanguage":"de-DE"}'),
        {"type": "webpage", "title": "Soup", "language": "de-DE", "authors": ""},
    ),
    "a blog in microdata": Case(
        """<article itemscope itemtype="http://schema.org/BlogPosting">
        <h1 itemprop="headline">Spring <em>tides</em></h1>
        <span itemprop="author" itemscope itemtype="http://schema.org/Person">By <a href=/ann itemprop="url"><span
        itemprop="name">Ann Lee</span></a></span><time itemprop="datePublished" datetime="2015-03-04T10:00">4 March</time>
        <p itemprop="articleBody">Words. <p>More.</article>""",
        {
            "type": "post-weblog",
            "title": "Spring tides",
            "authors": "Lee, Ann",
            "issued": "2015-03-04",
        },
        {"title": "microdata: BlogPosting.headline"},
    ),
    "a video in microdata of meta and link": Case(
        """<div itemscope itemtype="https://schema.org/VideoObject"><meta itemprop="name" content="Waves, filmed">
        <span itemprop="author" itemscope itemtype="http://schema.org/Person"><link itemprop="url" href="/c">
        <link itemprop="name" content="Harbour Films"></span><meta itemprop="uploadDate" content="2024-01-01">
        <meta itemprop="datePublished" content="2024-01-02"></div>
        <meta property="og:site_name" content="Tubes">""",
        {
            "type": "motion_picture",
            "title": "Waves, filmed",
            "authors": "Films, Harbour",
            "issued": "2024-01-02",
            "site": "Tubes",
        },
    ),
    "a magazine with Open Graph": Case(
        """<html lang="fr"><title>La marée | Le Port</title><meta property="og:title" content="La marée"/>
        <meta property="og:site_name" content="Le Port"/><meta property="og:locale" content="fr_FR"/>
        <meta property="article:published_time" content="2018-06-07T00:00:00+02:00"/>
        <meta property="article:author" content="https://social.example/ann"/>
        <meta name="author" content="Ann Lée et Bo Ek"/>""",
        {
            "type": "webpage",
            "title": "La marée",
            "site": "Le Port",
            "issued": "2018-06-07",
            "authors": "Lée, Ann; Ek, Bo",
            "language": "fr-FR",
        },
    ),
    "a page whose title has the name of its site behind it": Case(
        '<title>Tides — Harbour Office</title><meta name="application-name" content="Harbour Office">',
        {"title": "Tides", "site": "Harbour Office"},
    ),
    "a page whose title is the name of its site": Case(
        '<title>Harbour</title><meta property="og:site_name" content="Harbour">'
        "<meta property=og:title content=Harbour>",
        {"title": "", "site": "Harbour"},
    ),
    "a page with nothing": Case(
        "<p>Words</p>", {"type": "webpage", "title": "", "authors": "", "issued": ""}
    ),
    "a newspaper's byline": Case(
        '<meta name="byl" content="By Ann Lee, Bo Ek and Cy Fox"><meta name=pdate content=20170304>',
        {"authors": "Lee, Ann; Ek, Bo; Fox, Cy", "issued": ""},
    ),
    "an author who is the site": Case(
        '<meta property="og:site_name" content="Blue Harbour"><meta name="author" content="Blue Harbour">',
        {"authors": "Blue Harbour"},
    ),
    "an author with an address": Case(
        '<meta name="author" content="Ann Lee <ann@harbour.example>">', {"authors": "Lee, Ann"}
    ),
    "a link to the author": Case(
        '<p>By <a rel="author" href="/ann">Ann Lee</a>. Read <a rel=author href=/bo>Bo Ek</a> too.',
        {"authors": "Lee, Ann"},
        {"authors": "HTML: a rel=author"},
    ),
    "a book": Case(
        """<meta property="og:type" content="book"><meta property="og:title" content="The tides">
        <meta property="book:author" content="Ann Lee"><meta property="book:isbn" content="0-306-40615-2">
        <meta property="book:release_date" content="1999-12-31">""",
        {
            "type": "book",
            "title": "The tides",
            "authors": "Lee, Ann",
            "isbn": "0-306-40615-2",
            "issued": "1999-12-31",
        },
    ),
    "a date that can be read in two ways, and one that cannot": Case(
        '<meta name="date" content="03/04/2020"><meta name="pubdate" content="April 3rd, 2020">',
        {"issued": "2020-04-03"},
    ),
    "a page in Chinese": Case(
        '<html lang="zh-CN"><title>潮汐</title><meta name="author" content="王小明">'
        '<meta property="og:title" content="潮汐"><meta name="publishdate" content="2020-02-29">',
        {"title": "潮汐", "authors": "王小明", "issued": "2020-02-29", "language": "zh-CN"},
    ),
    "a page in Arabic": Case(
        '<html lang=ar dir=rtl><meta property="og:title" content="المد والجزر">'
        '<meta name="DC.creator" content="آن لي">',
        {"title": "المد والجزر", "authors": "لي, آن", "language": "ar"},
    ),
    "metadata that lies": Case(
        """<meta name="citation_doi" content="javascript:alert(1)"><meta name="citation_doi" content="10.1000/ok">
        <meta name="citation_isbn" content="978-3-16-148410-1"><meta name="citation_date" content="31 February 2020">
        <meta name="citation_title" content="<script>alert(1)</script>"><html lang="../../etc">""",
        {
            "doi": "10.1000/ok",
            "isbn": "",
            "issued": "2020",
            "title": "<script>alert(1)</script>",
            "language": "",
        },
    ),
    "a page that was made a day after it was published, by its server's clock": Case(
        """<meta property="article:published_time" content="2017-02-23T17:18:13-08:00">"""
        + json_ld(
            """{"@type":"NewsArticle","headline":"Ebb","dateCreated":"2017-02-24T01:18:13Z"}"""
        ),
        {"type": "article-newspaper", "title": "Ebb", "issued": "2017-02-23"},
        {"issued": "Open Graph: article:published_time"},
    ),
    "an article online before its issue": Case(
        """<meta name="citation_journal_title" content="Tides">
        <meta name="citation_online_date" content="2018/11/30">
        <meta name="citation_publication_date" content="2019/02/01">""",
        {"type": "article-journal", "container": "Tides", "issued": "2019-02-01"},
    ),
    "a blog that does not say its name but in the title": Case(
        """<title>Ebb and flow in the north « The Lighthouse</title><h1><a href="/">The Lighthouse</a></h1>
        <h1 class="entry"> Ebb and <i>flow</i> in the north</h1>""",
        {"title": "Ebb and flow in the north", "site": ""},
    ),
    "a heading that is the name of the site": Case(
        """<title>Ebb | The old lighthouse of the north</title>
        <h1>The old lighthouse of the north</h1>""",
        {"title": "Ebb | The old lighthouse of the north"},
    ),
    "a subtitle behind a colon": Case(
        """<title>The harbour of Westport: a history</title><h1>The harbour of Westport</h1>""",
        {"title": "The harbour of Westport: a history"},
    ),
    "an author behind the words of a blog": Case(
        """<a rel="author" href="/lee">View all posts by Ann Lee</a>""", {"authors": "Lee, Ann"}
    ),
    "an author whom a program named": Case(
        """<meta name="author" content="admin"><a rel="author" href="/lee">Ann Lee</a>""",
        {"authors": "Lee, Ann"},
    ),
    "an author who is a path": Case(
        """<meta name="article:author" content="/authors/ann-lee">""", {"authors": ""}
    ),
    "an author and whom she writes for": Case(
        """<meta name="author" content="Ann Lee, CNN">""", {"authors": "Lee, Ann; CNN"}
    ),
    "a title that is an address": Case(
        """<div itemscope itemtype="http://schema.org/BlogPosting"><meta itemprop="name" content="/code/2013/tides/"></div>
        <title>Tides</title>""",
        {"title": "Tides"},
    ),
}


def said(page: str) -> dict[str, str]:
    """The fields of the reference of a page, as text."""
    made = reference(gather(Document(page.encode(), "text/html", "utf-8")))
    names = ("title", "issued", "container", "site", "publisher", "language", "doi", "isbn", "issn")
    fields = {name: getattr(made, name) for name in (*names, "volume", "issue", "pages")}
    return {
        "type": made.type,
        "authors": "; ".join(
            f"{who.value.family}, {who.value.given}".strip(", ") for who in made.authors
        ),
        **{name: "" if value is None else str(value.value) for name, value in fields.items()},
    }


@pytest.mark.parametrize("name", CASES)
def test_a_page_is_read_as_its_site_means_it(name: str) -> None:
    case = CASES[name]
    fields = said(case.markup)
    assert {key: fields[key] for key in case.expected} == case.expected


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.places])
def test_each_value_says_where_it_is_stated(name: str) -> None:
    case = CASES[name]
    made = reference(gather(Document(case.markup.encode(), "text/html", "utf-8")))
    for field, place in (case.places or {}).items():
        value = getattr(made, field)
        stated = value[0] if isinstance(value, tuple) else value
        assert str(stated.place) == place
        if stated.place.start is not None:
            assert case.markup[stated.place.start] == "<"


def test_an_assertion_counts_before_the_page() -> None:
    page = gather(
        Document(b"<title>Tides</title><meta name=author content='Ann Lee'>", "text/html")
    )
    corrected = [Claim("author", "Bo Ek", Place("assertion", "librarian"))]
    made = reference([*page, *corrected])
    assert [str(who.value) for who in made.authors] == ["Bo Ek"]
    assert made.title is not None
    assert made.title.value == "Tides"
    assert any(claim.value == "Ann Lee" for claim in made.others)


DATES = [
    # as written, in EDTF
    ("2020-02-29", "2020-02-29"),
    ("20200229T101010Z", "2020-02-29"),
    ("2020/2/3 10:00", "2020-02-03"),
    ("2020", "2020"),
    ("2019-03-04 12:33:00 +0200", "2019-03-04"),
    ("D:20190304123300+02'00'", "2019-03-04"),
    ("Sat, 29 Feb 2020 10:00:00 GMT", "2020-02-29"),
    ("Feb. 3, 2020", "2020-02-03"),
    ("March 2020", "2020-03"),
    ("March 4th, 2019 at 12:30 pm", "2019-03-04"),
    ("3 maart 2020", "2020-03-03"),
    ("3. März 2019", "2019-03-03"),
    ("Sonntag, 3. März 2019", "2019-03-03"),
    ("4 de marzo de 2019", "2019-03-04"),
    ("dimanche 3 mars 2019 à 12h30", "2019-03-03"),
    ("5 мая 2019 г.", "2019-05-05"),
    ("2019年3月4日", "2019-03-04"),
    ("2019년 3월 4일", "2019-03-04"),
    ("2019 Mar", "2019-03"),
    ("Sept. 2019", "2019-09"),
    ("25/12/2019", "2019-12-25"),
    ("12/25/2019", "2019-12-25"),
    ("3.4.2019", "2019-04-03"),
    ("1985-04-12/1985-05", "1985-04-12/1985-05"),
    ("1985/..", "1985/.."),
    ("201X", "201X"),
    ("1985-XX-XX", "1985-XX-XX"),
    ("2001-21", "2001-21"),
    ("1984?", "1984?"),
    ("2004-06-11%", "2004-06-11%"),
    ("Y170000002", "Y170000002"),
    ("-1985", "-1985"),
    ("-0043", "-0043"),
    ("Spring 2019", "2019-21"),
    ("Winter 2018/19", "2018-24"),
    ("1998-99", "1998/1999"),
    ("1998–2001", "1998/2001"),
    ("1998-12", "1998-12"),
    ("c. 1850", "1850~"),
    ("circa 1850?", "1850%"),
    ("[1850?]", "1850?"),
    ("44 BC", "-0043"),
    ("AD 79", "0079"),
    ("12–14 May 2019", "2019-05-12/2019-05-14"),
    ("30 May – 2 June 2019", "2019-05-30/2019-06-02"),
    ("Mar/Apr 2019", "2019-03/2019-04"),
    ("1850s", "185X"),
    ("1850er Jahre", "185X"),
    ("19th century", "18XX"),
    ("XIXe siècle", "18XX"),
]
UNDERSTOOD_IN_PART = [
    # as written, the year that it names
    ("03/04/2019", 2019),
    ("10000", None),
    ("99999", None),
    ("31/02/2019", 2019),
    ("2021-02-29", 2021),
    ("2020-13", 2020),
    ("Revised edition 1998, first published 1950", None),
    ("1 Ventôse an III", None),
    ("yesterday", None),
]


@pytest.mark.parametrize(("text", "edtf"), DATES)
def test_dates_are_read_as_edtf(text: str, edtf: str) -> None:
    date = parse_date(text)
    assert date is not None
    assert (date.edtf, date.literal) == (edtf, "")
    assert date.year is not None


@pytest.mark.parametrize(("text", "year"), UNDERSTOOD_IN_PART)
def test_what_is_not_understood_is_kept_as_it_is_written(text: str, year: int | None) -> None:
    date = parse_date(text)
    assert date is not None
    assert (date.year, date.literal) == (year, text)


def test_names_of_months_are_those_of_the_language_of_the_page() -> None:
    assert str(parse_date("14 listopada 2019", "pl")) == "2019-11-14"
    assert str(parse_date("14 listopada 2019", "hr-HR")) == "2019-10-14"


@pytest.mark.parametrize("text", ["", " ", "n.d.", "[s.d.]", "No date"])
def test_no_date(text: str) -> None:
    assert parse_date(text) is None


NAMES = [
    # as written, family, given, suffix
    ("Ann Lee", "Lee", "Ann", ""),
    ("Lee, Ann", "Lee", "Ann", ""),
    ("Lee A", "Lee", "A", ""),
    ("Fox BC", "Fox", "BC", ""),
    ("Vincent van Gogh", "van Gogh", "Vincent", ""),
    ("van der Waals, J. D.", "van der Waals", "J. D.", ""),
    ("Johannes Diderik van der Waals", "van der Waals", "Johannes Diderik", ""),
    ("Ortega y Gasset, José", "Ortega y Gasset", "José", ""),
    ("José Ortega y Gasset", "Ortega y Gasset", "José", ""),
    ("Charles de Gaulle", "de Gaulle", "Charles", ""),
    ("Walter de la Mare", "de la Mare", "Walter", ""),
    ("Martin Luther King Jr.", "King", "Martin Luther", "Jr."),
    ("King, Jr., Martin Luther", "King", "Martin Luther", "Jr."),
    ("King, Martin Luther, Jr.", "King", "Martin Luther", "Jr."),
    ("Henry Wadsworth III", "Wadsworth", "Henry", "III"),
    ("Ann Lee, MD", "Lee", "Ann", ""),
    ("Plato", "Plato", "", ""),
    ("李白", "李白", "", ""),
    ("محمد", "محمد", "", ""),
    ("X", "X", "", ""),
    ("Reuters Staff", "Reuters Staff", "", ""),
    ("Ministry of the Sea", "Ministry of the Sea", "", ""),
    ("Johnson & Johnson", "Johnson & Johnson", "", ""),
    ("The New York Times", "The New York Times", "", ""),
    ("Universität Wien", "Universität Wien", "", ""),
]


@pytest.mark.parametrize(("name", "family", "given", "suffix"), NAMES)
def test_names(name: str, family: str, given: str, suffix: str) -> None:
    assert person(name) == (family, given, suffix)
    assert people(name) == [(family, given, suffix)]


SEVERAL = [
    # as written, whether the vocabulary is a loose one, names as in lists
    ("Müller, H., Lee, A.", False, ["Müller, H.", "Lee, A."]),
    ("Lee, A.; Fox, B. C.", False, ["Lee, A.", "Fox, B. C."]),
    ("Ann Lee and Bo Ek", False, ["Lee, Ann", "Ek, Bo"]),
    ("By Ann Lee, Bo Ek and Cy Fox", True, ["Lee, Ann", "Ek, Bo", "Fox, Cy"]),
    ("Ann Lee, CNN", True, ["Lee, Ann", "CNN"]),
    ("van der Waals, J. D.", True, ["van der Waals, J. D."]),
    ("Ortega y Gasset, José", True, ["Ortega y Gasset, José"]),
    ("European Commission, Directorate-General for Mobility", True, None),
    ("{European Commission, Directorate-General for Mobility}", False,
     ["European Commission, Directorate-General for Mobility"]),
    ("{Smith, Jones}", False, ["Smith, Jones"]),
    ("Department of Trade and Industry", True, ["Department of Trade and Industry"]),
    ("Lee, Ann et al.", False, ["Lee, Ann"]),
    ("Ann Lee (0000-0002-1825-0097)", False, ["Lee, Ann"]),
    ("Ann Lee <ann@sea.example>", True, ["Lee, Ann"]),
    ("https://orcid.org/0000-0002-1825-0097", False, []),
    ("[no author]", False, []),
    ("Anonymous", False, []),
    ("et al.", False, []),
    ("{}", False, []),
    ("a" * 400, False, ["a" * 200]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "is_byline", "names"), SEVERAL)
def test_whom_one_element_names(text: str, *, is_byline: bool, names: list[str] | None) -> None:
    found = [one.inverted for one in people(text, is_byline=is_byline)]
    assert found == ([text] if names is None else names)


def test_a_sentence_is_no_name() -> None:
    assert people("Somebody who writes about the sea every day of the week") == []
    assert people("") == []


def test_identifiers() -> None:
    assert doi("https://doi.org/10.1000/a%2Fb") == "10.1000/a/b"
    assert doi("info:doi/10.1000/a") == "10.1000/a"
    assert doi("https://example.org/10.1000/a") is None
    assert isbn("urn:isbn:9783161484100") == "9783161484100"
    assert isbn("080442957X") == "080442957X"
    assert isbn("08044295X7") is None
    assert issn("20493630") == "2049-3630"
    assert issn("2049-3631") is None
    assert language("en_US") == "en-US"
    assert language("english please") is None
