"""Names of columns that people and products use, so that usual exports are read without a word about their columns.

Most telling first: of several columns that could have a role, the one whose name stands further up is taken. Names are
compared without case, accents, spaces and marks. What they are from: XES and PM4Py, Celonis, Disco, ServiceNow, Jira,
SAP (names of fields), and what people write in English, German, French, Spanish and Dutch.
"""

from __future__ import annotations

import re
import unicodedata


def plain(name: str) -> str:
    """A name without case, accents, spaces and marks.

    >>> plain("Case ID"), plain("_CASE_KEY"), plain("Aktivität"), plain("N° de dossier")
    ('caseid', 'casekey', 'aktivitat', 'ndedossier')
    """
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", name.casefold()))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


USUAL_NAMES = {
    "case": _words(
        "caseid case caseidentifier casenumber caseno casename caseconceptname casekey traceid trace processinstance"
        " processinstanceid"
        # German, French, Spanish, Dutch
        " fallid fallnummer fallnr fall fallkennung vorgangsnummer vorgangsnr vorgangsid aktenzeichen aktennummer"
        " idcas iddecas numerodecas numerocas iddossier numerodossier numerodedossier ndossier ndedossier nodossier cas"
        " dossier idcaso iddecaso iddelcaso numerodecaso numerocaso casoid caso numerodeexpediente noexpediente"
        " expediente"
        " zaakid zaaknummer zaaknr zaak casusid casusnummer casus dossiernummer dossiernr dossierid"
        # things that a case is about
        " orderid ordernumber ordernr ordernummer incidentid incidentnumber ticketid ticketnumber ticketnummer ticketnr"
        " ticket requestid requestnumber applicationid claimid claimnumber issuekey issueid workitemid taskid"
        " auftragsnummer auftragsnr auftragid auftrag bestellnummer belegnummer belegnr antragsnummer antragsid"
        # SAP: sales document, purchasing document, changed object, accounting document, order, requisition
        " vbeln ebeln objectid belnr aufnr banfn"
        " number"  # ServiceNow
    ),
    "activity": _words(
        "activity activityname activityen conceptname eventname event task taskname action activityid operation step"
        # German, French, Spanish, Dutch
        " aktivitat aktivitaet aktivitatsname activityde tatigkeit taetigkeit arbeitsschritt prozessschritt schritt"
        " ereignis aufgabe massnahme vorgang aktion"
        " activite nomactivite nomdelactivite activityfr etape tache evenement actividad nombredelaactividad"
        " nombreactividad activityes tarea paso etapa evento accion operacion activiteit activiteitnaam"
        " naamactiviteit activitynl handeling processtap taak stap gebeurtenis actie"
        " tcode"  # SAP: the transaction of a change document
        " state"  # ServiceNow
    ),
    "time": _words(
        "timestamp timetimestamp completetimestamp endtimestamp endtime completetime completiontime time datetime"
        " eventtime enddate date complete eventtimestamp completedat completedon completiondate completed finishedat"
        " endedat closedat sysupdatedon updatedat updatedon updated occurredat eventdate createdat createdon"
        # German, French, Spanish, Dutch
        " zeitstempel endzeit endezeit endzeitpunkt enddatum abgeschlossenam erledigtam ende zeitpunkt datumuhrzeit"
        " datumundzeit datumundzeitpunkt datumzeit datum zeit"
        " horodatage horodate datefin datedefin heurefin heuredefin dateheure dateetheure fin"
        " marcadetiempo marcatemporal fechafin fechadefin fechafinalizacion horafin horadefin fechahora fechayhora"
        " fecha"
        " tijdstempel tijdstip eindtijd eindtijdstip einddatum gereedop datumtijd datumentijd tijd"
        " starttimestamp starttime startdate syscreatedon startzeit startdatum beginn datedebut datededebut"
        " fechainicio fechadeinicio starttijd begintijd begindatum"
        " udate erdat aedat cpudt"  # SAP: of a change, a creation, an entry
    ),
    "lifecycle": _words("lifecycletransition lifecycle transition eventtype eventlifecycle"),
}
"""The names for each role."""

CLOCKS = {
    "udate": ("utime",), "erdat": ("erzet",), "aedat": ("aezet",), "cpudt": ("cputm",),
    "enddate": ("endtime",), "date": ("time", "heure"), "datum": ("uhrzeit", "zeit", "tijd"), "fecha": ("hora",),
    "enddatum": ("endzeit", "enduhrzeit"), "datefin": ("heurefin",), "fechafin": ("horafin",),
    "einddatum": ("eindtijd",),
}  # fmt: skip
"""Columns of dates, and those of the clock times that go with them: together they are the time."""

STARTS = _words(
    "starttimestamp starttime startdate start begin begintime startedat openedat startzeit startzeitpunkt startdatum"
    " beginn anfang begonnenam datedebut datededebut heuredebut debut fechainicio fechadeinicio horainicio inicio"
    " starttijd begintijd begindatum aanvang"
)
"""Columns of start times, beside those of times."""

START_BEFORE_END = "eventtime"
"""A column that means the start if another is that of ends, as in exports of Celonis."""

ENDS = ("end", "complet", "abgeschlossen", "datefin", "fechafin", "eind")
"""What names of ends begin with."""
