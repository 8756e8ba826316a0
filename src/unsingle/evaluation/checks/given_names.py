"""Frequent given names of people in Europe, the Americas and parts of Asia; none that is also an ordinary word.

They are only to recognise a column of clerks by some of them, so no list has to be whole.
"""

from __future__ import annotations

_NAMES = """
    aaron abdul abdullah abigail achim adam adele adrian adriana agata agnes agnieszka ahmad ahmed aisha alain alan
    albert alberto alejandra alejandro aleksandra alessandra alessandro alessia alexander alexandra alexandre alexis
    alfred alfredo ali alice alicia alina alison allison alvaro amanda amelia amelie amina amir amy ana anastasia
    anders andrea andreas andrei andreia andrew andrzej angela angelika angelina anika anita anja anke ann anna anne
    anneke annette annika anouk anthony antoine anton antonella antonia antonio arend arjan armin arne arnold arthur
    astrid axel ayse barbara bart bartosz bas beata beate beatrice beatriz ben benedikt benjamin bernadette bernard
    bernd bernhard bert bettina bianca birgit bjorn björn bob boris bram brenda brian brigitte bruce bruno camille
    carl carla carlo carlos carmen carol carole carolin caroline carsten catarina catherine cecile cecilia celine
    chantal charles chiara christa christian christiane christina christine christoph christophe christopher cindy
    claire clara claude claudia claudio clemens conny cornelia cristina cynthia dagmar damian daniel daniela daniele
    danielle danny dave david davide deborah debra denis denise dennis derek detlef diana diane diego dieter dietmar
    dimitri dirk dominic dominik dominique donald donna doris dorothea dorothy douglas eberhard eddy edith eduard
    eduardo edward edwin elena eleonora elias elif elisa elisabeth elise elizabeth elke ellen elliot els elsa
    emanuel emilia emilie emily emine emma emmanuel enrico enrique eric erica erich erik erika ernst erwin esther
    eugen eva evelyn fabian fabien fabio fatima fatma federica federico felipe felix ferdinand fernanda fernando
    filip filippo fiona florian francesca francesco francisco francois franz françois fred frederic frederik
    friedrich fritz gabriel gabriela gabriele gabriella gary geert georg george gerald gerard gerd gerda gerhard
    gert gianluca gilles gina giovanni gisela giulia giuseppe gonzalo gordon grazyna greg gregor gregory greta guido
    guillaume guillermo gustav günter günther hanna hannah hannes hans harald harold harry hasan hassan heather
    hector heidi heike heiko heinrich heinz helen helena helene helga helmut hendrik henk henri henrik henry herbert
    hermann hilde hildegard holger horst hubert hugo hussein ian ibrahim ignacio ines inga inge ingeborg ingo ingrid
    irena irene irina isabel isabell isabella isabelle ivan ivana jaap jacek jacob jacques jakob jakub james jana
    jane janet janice janina janine janna jasmin jason javier jean jeanette jeffrey jelena jennifer jens jeremy
    jerome jerzy jesper jessica jesus joachim joan joana joanna joao joel joerg johan johann johanna johannes john
    jolanta jonas jonathan joost jorge jose josef joseph joshua josip josé joyce juan juanita judith judy julia
    julian juliane julie julien juliette justin justine jutta jörg jörn jürgen kaan karel karen karin karl karla
    karoline karsten kasper katarina katarzyna kate katharina katherine kathleen kathrin kathryn katja katrin kees
    keith kelly kemal kenneth kerstin kevin khaled kimberly kirsten klaas klaus knut konrad konstantin kristian
    kristin kristina krzysztof kurt kyle larissa larry lars laura lauren laurence laurent lea leila lena leo leon
    leonard leonardo leonie lieke lina linda lisa lorena lorenzo louis louise luc luca lucas lucia lucie ludwig
    luigi luis luisa luise lukas lutz lydia lynn maarten maciej magda magdalena magnus mahmoud maik maike malgorzata
    mandy manfred manuel manuela marc marcel marcin marco marcos marcus marek margaret margarete margarita margit
    maria mariam mariana marianne marie marieke marija mario marion marius marjan marleen marlene marta martha
    martin martina martine marvin mary mateusz mathias mathieu mathilde matteo matthew matthias maurice mauro
    maximilian megan mehmet melanie melissa merle michael michaela michal michel michele michelle miguel mikael mike
    mikhail milena milos mirella miriam mirjam mirko mohamed mohammad mohammed moises monica monika monique moritz
    morten muhammad murat mustafa nadia nadine nadja nancy natalia natalie natasha nathalie nathan nicholas nick
    nicola nicolas nicole niels nikola nikolaus nils nina noah nora norbert norman olaf oleg olga oliver olivia
    olivier omar oscar oskar osman othmar otto pablo pamela paola paolo pascal patricia patrick patrik paul paula
    paulina pauline paulo pavel pawel pedro peter petra philip philipp philippe phillip pia pierre pieter piotr
    rachel rafael rainer ralf ralph ramona raphael raquel raymond rebecca regina reinhard renate rene renee ricardo
    richard rita robert roberta roberto rodrigo roger roland rolf ronald rosemarie ruben rudolf ruth ryan rüdiger
    sabine sabrina salvatore samantha samir samuel sandra sandrine sara sarah saskia scott sebastian selma sergei
    sergio severin sharon shirley sibylle siegfried sigrid silke silvia simon simona simone sofia sofie sonia sonja
    sophia sophie stanislav stefan stefania stefanie steffen stella stephan stephane stephanie stephen steve steven
    sunita susan susana susanne suzanne sven svenja svetlana sylvia sylvie tamara tania tanja tatiana tatjana teresa
    theo theodor theresa thierry thijs thilo thomas tiago tilman tim timo timothy tina tobias tom tomas tomasz
    tommaso torsten tristan udo ulf ulrich ulrike urs ursula ute uwe valentin valentina valeria valerie vanessa vera
    veronica veronika viktor viktoria vincent vincenzo volker walter waltraud wendy werner wiebke wieslaw wilfried
    wilhelm willem william wim witold wojciech wolfgang xavier yannick yasmin yusuf yves yvonne zbigniew zeynep
    zofia zsolt
"""
GIVEN_NAMES = frozenset(_NAMES.split())
"""In lower case."""
