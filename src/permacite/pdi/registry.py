"""IANA's media types and its charsets of several octets a character: what format tokens rest on.

The media types are those registered by March 2025, sorted by top-level type, in lower case. The
list is frozen: a token once made from it must never change, so a type registered later keeps the
token major+minor that it has without a row here.

The charsets have their preferred MIME names, in lower case, with the aliases of the registry and
those that pages are found to use.
"""

from __future__ import annotations

__all__ = ["FIRST_ASSIGNMENT", "MULTI_BYTE", "REGISTERED"]

FIRST_ASSIGNMENT = {
    # The minor names that several top-level types share, and the one that had the name first.
    # Where one document registered several, the one that the draft names, or that people mean.
    "1d-interleaved-parityfec": "application",
    "3gpp": "video",
    "3gpp2": "video",
    "dns": "application",
    "dv": "video",
    "encaprtp": "application",
    "fits": "image",
    "flexfec": "application",
    "fwdred": "audio",
    "http": "message",
    "iges": "model",
    "jpeg": "image",
    "matroska": "video",
    "mp4": "video",
    "mpeg": "video",
    "mpeg4-generic": "video",
    "ogg": "application",
    "parityfec": "video",
    "raptorfec": "application",
    "red": "audio",
    "rtf": "application",
    "rtp-enc-aescm128": "video",
    "rtploopback": "application",
    "rtx": "video",
    "scip": "video",
    "sgml": "text",
    "t38": "image",
    "ulpfec": "video",
    "vnd.curl": "application",
    "vnd.dvb.file": "video",
    "vnd.dvb.subtitle": "text",
    "vnd.wfa.wsc": "application",
    "xml": "text",
    "xml-external-parsed-entity": "text",
}
"""Minor name to top-level type."""

REGISTERED = {
    "application": """
1d-interleaved-parityfec 3gpdash-qoe-report+xml 3gpp-ims+xml 3gpphal+json 3gpphalforms+json a2l
ace+cbor ace+json ace-groupcomm+cbor ace-trl+cbor activemessage activity+json aif+cbor aif+json
alto-cdni+json alto-cdnifilter+json alto-costmap+json alto-costmapfilter+json alto-directory+json
alto-endpointcost+json alto-endpointcostparams+json alto-endpointprop+json
alto-endpointpropparams+json alto-error+json alto-networkmap+json alto-networkmapfilter+json
alto-propmap+json alto-propmapparams+json alto-tips+json alto-tipsparams+json
alto-updatestreamcontrol+json alto-updatestreamparams+json aml andrew-inset applefile at+jwt atf
atfx atom+xml atomcat+xml atomdeleted+xml atomicmail atomsvc+xml atsc-dwd+xml
atsc-dynamic-event-message atsc-held+xml atsc-rdt+json atsc-rsat+xml atxml auth-policy+xml
automationml-aml+xml automationml-amlx+zip bacnet-xdd+zip batch-smtp beep+xml bufr c2pa
calendar+json calendar+xml call-completion cals-1840 captive+json cbor cbor-seq cccex ccmp+xml
ccxml+xml cda+xml cdfx+xml cdmi-capability cdmi-container cdmi-domain cdmi-object cdmi-queue cdni
ce+cbor cea cea-2018+xml cellml+xml cfw cid-edhoc+cbor-seq city+json city+json-seq clr clue+xml
clue_info+xml cms cnrp+xml coap-eap coap-group+json coap-payload commonground
concise-problem-details+cbor conference-info+xml cose cose-key cose-key-set cose-x509 cpl+xml
csrattrs csta+xml cstadata+xml csvm+json cwl cwl+json cwl+yaml cwt cybercash dash+xml
dash-patch+xml dashdelta davmount+xml dca-rft dcd dec-dx dialog-info+xml dicom dicom+json dicom+xml
dii dit dns dns+json dns-message dots+cbor dpop+jwt dskpp+xml dssc+der dssc+xml dvcs eat+cwt
eat+jwt eat-bun+cbor eat-bun+json eat-ucs+cbor eat-ucs+json edhoc+cbor-seq edi-consent edi-x12
edifact efi elm+json elm+xml emergencycalldata.cap+xml emergencycalldata.comment+xml
emergencycalldata.control+xml emergencycalldata.deviceinfo+xml emergencycalldata.ecall.msd
emergencycalldata.legacyesn+json emergencycalldata.providerinfo+xml
emergencycalldata.serviceinfo+xml emergencycalldata.subscriberinfo+xml emergencycalldata.veds+xml
emma+xml emotionml+xml encaprtp entity-statement+jwt epp+xml epub+zip eshop exi
expect-ct-report+json express fastinfoset fastsoap fdf fdt+xml fhir+json fhir+xml fits flexfec
font-sfnt font-tdpfr font-woff framework-attributes+xml geo+json geo+json-seq geopackage+sqlite3
geopose+json geoxacml+json geoxacml+xml gltf-buffer gml+xml gnap-binding-jws gnap-binding-jwsd
gnap-binding-rotation-jws gnap-binding-rotation-jwsd grib gzip h224 held+xml hl7v2+xml http
hyperstudio ibe-key-request+xml ibe-pkg-reply+xml ibe-pp-data iges im-iscomposing+xml index
index.cmd index.obj index.response index.vnd inkml+xml iotp ipfix ipp isup its+xml java-archive
jf2feed+json jose jose+json jrd+json jscalendar+json jscontact+json json json-patch+json json-seq
jsonpath jwk+json jwk-set+json jwk-set+jwt jwt kpml-request+xml kpml-response+xml ld+json lgr+xml
link-format linkset linkset+json load-control+xml logout+jwt lost+xml lostsync+xml lpf+zip lxf
mac-binhex40 macwriteii mads+xml manifest+json marc marcxml+xml mathematica mathml+xml
mathml-content+xml mathml-presentation+xml mbms-associated-procedure-description+xml
mbms-deregister+xml mbms-envelope+xml mbms-msk+xml mbms-msk-response+xml
mbms-protection-description+xml mbms-reception-report+xml mbms-register+xml
mbms-register-response+xml mbms-schedule+xml mbms-user-service-description+xml mbox
media-policy-dataset+xml media_control+xml mediaservercontrol+xml merge-patch+json metalink4+xml
mets+xml mf4 mikey mipc missing-blocks+cbor-seq mmt-aei+xml mmt-usd+xml mods+xml moss-keys
moss-signature mosskey-data mosskey-request mp21 mp4 mpeg4-generic mpeg4-iod mpeg4-iod-xmt
mrb-consumer+xml mrb-publish+xml msc-ivr+xml msc-mixer+xml msword mud+json multipart-core mxf
n-quads n-triples nasdata news-checkgroups news-groupinfo news-transmission nlsml+xml node nss
oauth-authz-req+jwt oblivious-dns-message ocsp-request ocsp-response octet-stream oda odm+xml odx
oebps-package+xml ogg ohttp-keys opc-nodeset+xml oscore oxps p21 p21+zip p2p-overlay+xml parityfec
passport patch-ops-error+xml pdf pdx pem-certificate-chain pgp-encrypted pgp-keys pgp-signature
pidf+xml pidf-diff+xml pkcs10 pkcs12 pkcs7-mime pkcs7-signature pkcs8 pkcs8-encrypted
pkix-attr-cert pkix-cert pkix-crl pkix-pkipath pkixcmp pls+xml poc-settings+xml postscript
ppsp-tracker+json private-token-issuer-directory private-token-request private-token-response
problem+json problem+xml provenance+xml provided-claims+jwt prs.alvestrand.titrax-sheet prs.cww
prs.cyn prs.hpub+zip prs.implied-document+xml prs.implied-executable prs.implied-object+json
prs.implied-object+json-seq prs.implied-object+yaml prs.implied-structure prs.mayfile prs.nprend
prs.plucker prs.rdf-xml-crypt prs.vcfbzip2 prs.xsf+xml pskc+xml pvd+json qsig raptorfec rdap+json
rdf+xml reginfo+xml relax-ng-compact-syntax reputon+json resolve-response+jwt resource-lists+xml
resource-lists-diff+xml rfc+xml riscos rlmi+xml rls-services+xml route-apd+xml route-s-tsid+xml
route-usd+xml rpki-checklist rpki-ghostbusters rpki-manifest rpki-publication rpki-roa
rpki-signed-tal rpki-updown rtf rtploopback rtx samlassertion+xml samlmetadata+xml sarif+json
sarif-external-properties+json sbe sbml+xml scaip+xml scim+json scvp-cv-request scvp-cv-response
scvp-vp-request scvp-vp-response sdp secevent+jwt senml+cbor senml+json senml+xml senml-etch+cbor
senml-etch+json senml-exi sensml+cbor sensml+json sensml+xml sensml-exi sep+xml sep-exi
session-info set-payment set-payment-initiation set-registration set-registration-initiation sgml
sgml-open-catalog shf+xml sieve simple-filter+xml simple-message-summary simplesymbolcontainer sipc
slate smil+xml smpte336m soap+fastinfoset soap+xml sparql-query sparql-results+xml spdx+json
spirits-event+xml sql srgs srgs+xml sru+xml sslkeylogfile ssml+xml st2110-41 stix+json stratum
swid+cbor swid+xml tamp-apex-update tamp-apex-update-confirm tamp-community-update
tamp-community-update-confirm tamp-error tamp-sequence-adjust tamp-sequence-adjust-confirm
tamp-status-query tamp-status-response tamp-update tamp-update-confirm taxii+json td+json tei+xml
tetra_isi thraud+xml timestamp-query timestamp-reply timestamped-data tlsrpt+gzip tlsrpt+json
tm+json tnauthlist toc+cbor token-introspection+jwt toml trickle-ice-sdpfrag trig trust-chain+json
trust-mark+jwt trust-mark-delegation+jwt ttml+xml tve-trigger tzif tzif-leap uccs+cbor ujcs+json
ulpfec urc-grpsheet+xml urc-ressheet+xml urc-targetdesc+xml urc-uisocketdesc+xml vc vc+cose vc+jwt
vcard+json vcard+xml vemmi vnd.1000minds.decision-model+xml vnd.1ob vnd.3gpp-prose+xml
vnd.3gpp-prose-pc3a+xml vnd.3gpp-prose-pc3ach+xml vnd.3gpp-prose-pc3ch+xml vnd.3gpp-prose-pc8+xml
vnd.3gpp-v2x-local-service-information vnd.3gpp.5gnas vnd.3gpp.5gsa2x
vnd.3gpp.5gsa2x-local-service-information vnd.3gpp.5gsv2x vnd.3gpp.5gsv2x-local-service-information
vnd.3gpp.access-transfer-events+xml vnd.3gpp.bsf+xml vnd.3gpp.crs+xml
vnd.3gpp.current-location-discovery+xml vnd.3gpp.gmop+xml vnd.3gpp.gtpc vnd.3gpp.interworking-data
vnd.3gpp.lpp vnd.3gpp.mc-signalling-ear vnd.3gpp.mcdata-affiliation-command+xml
vnd.3gpp.mcdata-info+xml vnd.3gpp.mcdata-msgstore-ctrl-request+xml vnd.3gpp.mcdata-payload
vnd.3gpp.mcdata-regroup+xml vnd.3gpp.mcdata-service-config+xml vnd.3gpp.mcdata-signalling
vnd.3gpp.mcdata-ue-config+xml vnd.3gpp.mcdata-user-profile+xml
vnd.3gpp.mcptt-affiliation-command+xml vnd.3gpp.mcptt-floor-request+xml vnd.3gpp.mcptt-info+xml
vnd.3gpp.mcptt-location-info+xml vnd.3gpp.mcptt-mbms-usage-info+xml vnd.3gpp.mcptt-regroup+xml
vnd.3gpp.mcptt-service-config+xml vnd.3gpp.mcptt-signed+xml vnd.3gpp.mcptt-ue-config+xml
vnd.3gpp.mcptt-ue-init-config+xml vnd.3gpp.mcptt-user-profile+xml
vnd.3gpp.mcvideo-affiliation-command+xml vnd.3gpp.mcvideo-info+xml
vnd.3gpp.mcvideo-location-info+xml vnd.3gpp.mcvideo-mbms-usage-info+xml
vnd.3gpp.mcvideo-regroup+xml vnd.3gpp.mcvideo-service-config+xml
vnd.3gpp.mcvideo-transmission-request+xml vnd.3gpp.mcvideo-ue-config+xml
vnd.3gpp.mcvideo-user-profile+xml vnd.3gpp.mid-call+xml vnd.3gpp.ngap vnd.3gpp.pfcp
vnd.3gpp.pic-bw-large vnd.3gpp.pic-bw-small vnd.3gpp.pic-bw-var vnd.3gpp.pinapp-info+xml
vnd.3gpp.s1ap vnd.3gpp.seal-group-doc+xml vnd.3gpp.seal-info+xml vnd.3gpp.seal-location-info+xml
vnd.3gpp.seal-mbms-usage-info+xml vnd.3gpp.seal-network-qos-management-info+xml
vnd.3gpp.seal-ue-config-info+xml vnd.3gpp.seal-unicast-info+xml vnd.3gpp.seal-user-profile-info+xml
vnd.3gpp.sms vnd.3gpp.sms+xml vnd.3gpp.srvcc-ext+xml vnd.3gpp.srvcc-info+xml
vnd.3gpp.state-and-event-info+xml vnd.3gpp.ussd+xml vnd.3gpp.v2x vnd.3gpp.vae-info+xml
vnd.3gpp2.bcmcsinfo+xml vnd.3gpp2.sms vnd.3gpp2.tcap vnd.3lightssoftware.imagescal
vnd.3m.post-it-notes vnd.accpac.simply.aso vnd.accpac.simply.imp vnd.acm.addressxfer+json
vnd.acm.chatbot+json vnd.acucobol vnd.acucorp vnd.adobe.flash.movie vnd.adobe.formscentral.fcdt
vnd.adobe.fxp vnd.adobe.partial-upload vnd.adobe.xdp+xml vnd.aether.imp vnd.afpc.afplinedata
vnd.afpc.afplinedata-pagedef vnd.afpc.cmoca-cmresource vnd.afpc.foca-charset
vnd.afpc.foca-codedfont vnd.afpc.foca-codepage vnd.afpc.modca vnd.afpc.modca-cmtable
vnd.afpc.modca-formdef vnd.afpc.modca-mediummap vnd.afpc.modca-objectcontainer
vnd.afpc.modca-overlay vnd.afpc.modca-pagesegment vnd.age vnd.ahead.space vnd.airzip.filesecure.azf
vnd.airzip.filesecure.azs vnd.amadeus+json vnd.amazon.mobi8-ebook vnd.americandynamics.acc
vnd.amiga.ami vnd.amundsen.maze+xml vnd.android.ota vnd.anki
vnd.anser-web-certificate-issue-initiation vnd.antix.game-component vnd.apache.arrow.file
vnd.apache.arrow.stream vnd.apache.parquet vnd.apache.thrift.binary vnd.apache.thrift.compact
vnd.apache.thrift.json vnd.apexlang vnd.api+json vnd.aplextor.warrp+json
vnd.apothekende.reservation+json vnd.apple.installer+xml vnd.apple.keynote vnd.apple.mpegurl
vnd.apple.numbers vnd.apple.pages vnd.aristanetworks.swi vnd.artisan+json vnd.artsquare
vnd.astraea-software.iota vnd.audiograph vnd.autopackage vnd.avalon+json vnd.avistar+xml
vnd.balsamiq.bmml+xml vnd.balsamiq.bmpr vnd.banana-accounting vnd.bbf.usp.error vnd.bbf.usp.msg
vnd.bbf.usp.msg+json vnd.bekitzur-stech+json vnd.belightsoft.lhzd+zip vnd.belightsoft.lhzl+zip
vnd.bint.med-content vnd.biopax.rdf+xml vnd.blink-idb-value-wrapper vnd.blueice.multipass
vnd.bluetooth.ep.oob vnd.bluetooth.le.oob vnd.bmi vnd.bpf vnd.bpf3 vnd.businessobjects
vnd.byu.uapi+json vnd.bzip3 vnd.c3voc.schedule+xml vnd.cab-jscript vnd.canon-cpdl vnd.canon-lips
vnd.capasystems-pg+json vnd.cendio.thinlinc.clientconf vnd.century-systems.tcp_stream
vnd.chemdraw+xml vnd.chess-pgn vnd.chipnuts.karaoke-mmd vnd.ciedi vnd.cinderella
vnd.cirpack.isdn-ext vnd.citationstyles.style+xml vnd.claymore vnd.cloanto.rp9 vnd.clonk.c4group
vnd.cluetrust.cartomobile-config vnd.cluetrust.cartomobile-config-pkg
vnd.cncf.helm.chart.content.v1.tar+gzip vnd.cncf.helm.chart.provenance.v1.prov
vnd.cncf.helm.config.v1+json vnd.coffeescript vnd.collabio.xodocuments.document
vnd.collabio.xodocuments.document-template vnd.collabio.xodocuments.presentation
vnd.collabio.xodocuments.presentation-template vnd.collabio.xodocuments.spreadsheet
vnd.collabio.xodocuments.spreadsheet-template vnd.collection+json vnd.collection.doc+json
vnd.collection.next+json vnd.comicbook+zip vnd.comicbook-rar vnd.commerce-battelle vnd.commonspace
vnd.contact.cmsg vnd.coreos.ignition+json vnd.cosmocaller vnd.crick.clicker
vnd.crick.clicker.keyboard vnd.crick.clicker.palette vnd.crick.clicker.template
vnd.crick.clicker.wordbank vnd.criticaltools.wbs+xml vnd.cryptii.pipe+json vnd.crypto-shade-file
vnd.cryptomator.encrypted vnd.cryptomator.vault vnd.ctc-posml vnd.ctct.ws+xml vnd.cups-pdf
vnd.cups-postscript vnd.cups-ppd vnd.cups-raster vnd.cups-raw vnd.curl vnd.cyan.dean.root+xml
vnd.cybank vnd.cyclonedx+json vnd.cyclonedx+xml vnd.d2l.coursepackage1p0+zip vnd.d3m-dataset
vnd.d3m-problem vnd.dart vnd.data-vision.rdz vnd.datalog vnd.datapackage+json vnd.dataresource+json
vnd.dbf vnd.dcmp+xml vnd.debian.binary-package vnd.dece.data vnd.dece.ttml+xml vnd.dece.unspecified
vnd.dece.zip vnd.denovo.fcselayout-link vnd.desmume.movie vnd.dir-bi.plate-dl-nosuffix
vnd.dm.delegation+xml vnd.dna vnd.document+json vnd.dolby.mobile.1 vnd.dolby.mobile.2
vnd.doremir.scorecloud-binary-document vnd.dpgraph vnd.dreamfactory vnd.drive+json vnd.dtg.local
vnd.dtg.local.flash vnd.dtg.local.html vnd.dvb.ait vnd.dvb.dvbisl+xml vnd.dvb.dvbj
vnd.dvb.esgcontainer vnd.dvb.ipdcdftnotifaccess vnd.dvb.ipdcesgaccess vnd.dvb.ipdcesgaccess2
vnd.dvb.ipdcesgpdd vnd.dvb.ipdcroaming vnd.dvb.iptv.alfec-base vnd.dvb.iptv.alfec-enhancement
vnd.dvb.notif-aggregate-root+xml vnd.dvb.notif-container+xml vnd.dvb.notif-generic+xml
vnd.dvb.notif-ia-msglist+xml vnd.dvb.notif-ia-registration-request+xml
vnd.dvb.notif-ia-registration-response+xml vnd.dvb.notif-init+xml vnd.dvb.pfr vnd.dvb.service
vnd.dxr vnd.dynageo vnd.dzr vnd.easykaraoke.cdgdownload vnd.ecdis-update vnd.ecip.rlp
vnd.eclipse.ditto+json vnd.ecowin.chart vnd.ecowin.filerequest vnd.ecowin.fileupdate
vnd.ecowin.series vnd.ecowin.seriesrequest vnd.ecowin.seriesupdate vnd.efi.img vnd.efi.iso
vnd.eln+zip vnd.emclient.accessrequest+xml vnd.enliven vnd.enphase.envoy vnd.eprints.data+xml
vnd.epson.esf vnd.epson.msf vnd.epson.quickanime vnd.epson.salt vnd.epson.ssf
vnd.ericsson.quickcall vnd.erofs vnd.espass-espass+zip vnd.eszigno3+xml vnd.etsi.aoc+xml
vnd.etsi.asic-e+zip vnd.etsi.asic-s+zip vnd.etsi.cug+xml vnd.etsi.iptvcommand+xml
vnd.etsi.iptvdiscovery+xml vnd.etsi.iptvprofile+xml vnd.etsi.iptvsad-bc+xml
vnd.etsi.iptvsad-cod+xml vnd.etsi.iptvsad-npvr+xml vnd.etsi.iptvservice+xml vnd.etsi.iptvsync+xml
vnd.etsi.iptvueprofile+xml vnd.etsi.mcid+xml vnd.etsi.mheg5
vnd.etsi.overload-control-policy-dataset+xml vnd.etsi.pstn+xml vnd.etsi.sci+xml
vnd.etsi.simservs+xml vnd.etsi.timestamp-token vnd.etsi.tsl+xml vnd.etsi.tsl.der
vnd.eu.kasparian.car+json vnd.eudora.data vnd.evolv.ecig.profile vnd.evolv.ecig.settings
vnd.evolv.ecig.theme vnd.exstream-empower+zip vnd.exstream-package vnd.ezpix-album
vnd.ezpix-package vnd.f-secure.mobile vnd.familysearch.gedcom+zip vnd.fastcopy-disk-image
vnd.fdsn.mseed vnd.fdsn.seed vnd.fdsn.stationxml+xml vnd.ffsns vnd.ficlab.flb+zip vnd.filmit.zfc
vnd.fints vnd.firemonkeys.cloudcell vnd.flographit vnd.fluxtime.clip vnd.font-fontforge-sfd
vnd.framemaker vnd.freelog.comic vnd.fsc.weblaunch vnd.fujifilm.fb.docuworks
vnd.fujifilm.fb.docuworks.binder vnd.fujifilm.fb.docuworks.container vnd.fujifilm.fb.jfi+xml
vnd.fujitsu.oasys vnd.fujitsu.oasys2 vnd.fujitsu.oasys3 vnd.fujitsu.oasysgp vnd.fujitsu.oasysprs
vnd.fujixerox.art-ex vnd.fujixerox.art4 vnd.fujixerox.ddd vnd.fujixerox.docuworks
vnd.fujixerox.docuworks.binder vnd.fujixerox.docuworks.container vnd.fujixerox.hbpl vnd.fut-misnet
vnd.futoin+cbor vnd.futoin+json vnd.fuzzysheet vnd.ga4gh.passport+jwt vnd.genomatix.tuxedo
vnd.genozip vnd.gentics.grd+json vnd.gentoo.catmetadata+xml vnd.gentoo.ebuild vnd.gentoo.eclass
vnd.gentoo.gpkg vnd.gentoo.manifest vnd.gentoo.pkgmetadata+xml vnd.gentoo.xpak vnd.geogebra.file
vnd.geogebra.pinboard vnd.geogebra.slides vnd.geogebra.tool vnd.geometry-explorer vnd.geonext
vnd.geoplan vnd.geospace vnd.gerber vnd.globalplatform.card-content-mgt
vnd.globalplatform.card-content-mgt-response vnd.gmx vnd.gnu.taler.exchange+json
vnd.gnu.taler.merchant+json vnd.google-earth.kml+xml vnd.google-earth.kmz vnd.gov.sk.e-form+zip
vnd.gov.sk.xmldatacontainer+xml vnd.gpxsee.map+xml vnd.grafeq vnd.gridmp vnd.groove-account
vnd.groove-help vnd.groove-identity-message vnd.groove-injector vnd.groove-tool-message
vnd.groove-tool-template vnd.groove-vcard vnd.hal+json vnd.hal+xml vnd.handheld-entertainment+xml
vnd.hbci vnd.hc+json vnd.hcl-bireports vnd.hdt vnd.heroku+json vnd.hhe.lesson-player vnd.hp-hpgl
vnd.hp-hpid vnd.hp-hps vnd.hp-jlyt vnd.hp-pcl vnd.hp-pclxl vnd.hsl vnd.httphone
vnd.hydrostatix.sof-data vnd.hyper+json vnd.hyper-item+json vnd.hyperdrive+json
vnd.hzn-3d-crossword vnd.ibm.electronic-media vnd.ibm.minipay vnd.ibm.rights-management
vnd.ibm.secure-container vnd.iccprofile vnd.ieee.1905 vnd.igloader vnd.imagemeter.folder+zip
vnd.imagemeter.image+zip vnd.immervision-ivp vnd.immervision-ivu vnd.ims.imsccv1p1
vnd.ims.imsccv1p2 vnd.ims.imsccv1p3 vnd.ims.lis.v2.result+json
vnd.ims.lti.v2.toolconsumerprofile+json vnd.ims.lti.v2.toolproxy+json
vnd.ims.lti.v2.toolproxy.id+json vnd.ims.lti.v2.toolsettings+json
vnd.ims.lti.v2.toolsettings.simple+json vnd.informedcontrol.rms+xml vnd.infotech.project
vnd.infotech.project+xml vnd.innopath.wamp.notification vnd.insors.igm vnd.intercon.formnet
vnd.intergeo vnd.intertrust.digibox vnd.intertrust.nncp vnd.intu.qbo vnd.intu.qfx
vnd.ipfs.ipns-record vnd.ipld.car vnd.ipld.dag-cbor vnd.ipld.dag-json vnd.ipld.raw
vnd.iptc.g2.catalogitem+xml vnd.iptc.g2.conceptitem+xml vnd.iptc.g2.knowledgeitem+xml
vnd.iptc.g2.newsitem+xml vnd.iptc.g2.newsmessage+xml vnd.iptc.g2.packageitem+xml
vnd.iptc.g2.planningitem+xml vnd.ipunplugged.rcprofile vnd.irepository.package+xml vnd.is-xpr
vnd.isac.fcs vnd.iso11783-10+zip vnd.jam vnd.japannet-directory-service
vnd.japannet-jpnstore-wakeup vnd.japannet-payment-wakeup vnd.japannet-registration
vnd.japannet-registration-wakeup vnd.japannet-setstore-wakeup vnd.japannet-verification
vnd.japannet-verification-wakeup vnd.jcp.javame.midlet-rms vnd.jisp vnd.joost.joda-archive
vnd.jsk.isdn-ngn vnd.kahootz vnd.kde.karbon vnd.kde.kchart vnd.kde.kformula vnd.kde.kivio
vnd.kde.kontour vnd.kde.kpresenter vnd.kde.kspread vnd.kde.kword vnd.kdl vnd.kenameaapp
vnd.keyman.kmp+zip vnd.keyman.kmx vnd.kidspiration vnd.kinar vnd.koan vnd.kodak-descriptor vnd.las
vnd.las.las+json vnd.las.las+xml vnd.laszip vnd.ldev.productlicensing vnd.leap+json
vnd.liberty-request+xml vnd.llamagraphics.life-balance.desktop
vnd.llamagraphics.life-balance.exchange+xml vnd.logipipe.circuit+zip vnd.loom vnd.lotus-1-2-3
vnd.lotus-approach vnd.lotus-freelance vnd.lotus-notes vnd.lotus-organizer vnd.lotus-screencam
vnd.lotus-wordpro vnd.macports.portpkg vnd.mapbox-vector-tile vnd.marlin.drm.actiontoken+xml
vnd.marlin.drm.conftoken+xml vnd.marlin.drm.license+xml vnd.marlin.drm.mdcf vnd.mason+json
vnd.maxar.archive.3tz+zip vnd.maxmind.maxmind-db vnd.mcd vnd.mdl vnd.mdl-mbsdf vnd.medcalcdata
vnd.mediastation.cdkey vnd.medicalholodeck.recordxr vnd.meridian-slingshot vnd.mermaid vnd.mfer
vnd.mfmp vnd.micro+json vnd.micrografx.flo vnd.micrografx.igx vnd.microsoft.portable-executable
vnd.microsoft.windows.thumbnail-cache vnd.miele+json vnd.mif vnd.minisoft-hp3000-save
vnd.mitsubishi.misty-guard.trustweb vnd.mobius.daf vnd.mobius.dis vnd.mobius.mbk vnd.mobius.mqy
vnd.mobius.msl vnd.mobius.plc vnd.mobius.txf vnd.modl vnd.mophun.application vnd.mophun.certificate
vnd.motorola.flexsuite vnd.motorola.flexsuite.adsi vnd.motorola.flexsuite.fis
vnd.motorola.flexsuite.gotap vnd.motorola.flexsuite.kmr vnd.motorola.flexsuite.ttc
vnd.motorola.flexsuite.wem vnd.motorola.iprm vnd.mozilla.xul+xml vnd.ms-3mfdocument vnd.ms-artgalry
vnd.ms-asf vnd.ms-cab-compressed vnd.ms-excel vnd.ms-excel.addin.macroenabled.12
vnd.ms-excel.sheet.binary.macroenabled.12 vnd.ms-excel.sheet.macroenabled.12
vnd.ms-excel.template.macroenabled.12 vnd.ms-fontobject vnd.ms-htmlhelp vnd.ms-ims vnd.ms-lrm
vnd.ms-office.activex+xml vnd.ms-officetheme vnd.ms-playready.initiator+xml vnd.ms-powerpoint
vnd.ms-powerpoint.addin.macroenabled.12 vnd.ms-powerpoint.presentation.macroenabled.12
vnd.ms-powerpoint.slide.macroenabled.12 vnd.ms-powerpoint.slideshow.macroenabled.12
vnd.ms-powerpoint.template.macroenabled.12 vnd.ms-printdevicecapabilities+xml
vnd.ms-printschematicket+xml vnd.ms-project vnd.ms-tnef vnd.ms-windows.devicepairing
vnd.ms-windows.nwprinting.oob vnd.ms-windows.printerpairing vnd.ms-windows.wsd.oob
vnd.ms-wmdrm.lic-chlg-req vnd.ms-wmdrm.lic-resp vnd.ms-wmdrm.meter-chlg-req vnd.ms-wmdrm.meter-resp
vnd.ms-word.document.macroenabled.12 vnd.ms-word.template.macroenabled.12 vnd.ms-works vnd.ms-wpl
vnd.ms-xpsdocument vnd.msa-disk-image vnd.mseq vnd.msgpack vnd.msign vnd.multiad.creator
vnd.multiad.creator.cif vnd.music-niff vnd.musician vnd.muvee.style vnd.mynfc
vnd.nacamar.ybrid+json vnd.nato.bindingdataobject+cbor vnd.nato.bindingdataobject+json
vnd.nato.bindingdataobject+xml vnd.nato.openxmlformats-package.iepd+zip vnd.ncd.control
vnd.ncd.reference vnd.nearst.inv+json vnd.nebumind.line vnd.nervana vnd.netfpx
vnd.neurolanguage.nlu vnd.nimn vnd.nintendo.nitro.rom vnd.nintendo.snes.rom vnd.nitf
vnd.noblenet-directory vnd.noblenet-sealer vnd.noblenet-web vnd.nokia.catalogs
vnd.nokia.conml+wbxml vnd.nokia.conml+xml vnd.nokia.iptv.config+xml vnd.nokia.isds-radio-presets
vnd.nokia.landmark+wbxml vnd.nokia.landmark+xml vnd.nokia.landmarkcollection+xml
vnd.nokia.n-gage.ac+xml vnd.nokia.n-gage.data vnd.nokia.ncd vnd.nokia.pcd+wbxml vnd.nokia.pcd+xml
vnd.nokia.radio-preset vnd.nokia.radio-presets vnd.novadigm.edm vnd.novadigm.edx vnd.novadigm.ext
vnd.ntt-local.content-share vnd.ntt-local.file-transfer vnd.ntt-local.ogw_remote-access
vnd.ntt-local.sip-ta_remote vnd.ntt-local.sip-ta_tcp_stream vnd.oai.workflows
vnd.oai.workflows+json vnd.oai.workflows+yaml vnd.oasis.opendocument.base
vnd.oasis.opendocument.chart vnd.oasis.opendocument.chart-template vnd.oasis.opendocument.formula
vnd.oasis.opendocument.formula-template vnd.oasis.opendocument.graphics
vnd.oasis.opendocument.graphics-template vnd.oasis.opendocument.image
vnd.oasis.opendocument.image-template vnd.oasis.opendocument.presentation
vnd.oasis.opendocument.presentation-template vnd.oasis.opendocument.spreadsheet
vnd.oasis.opendocument.spreadsheet-template vnd.oasis.opendocument.text
vnd.oasis.opendocument.text-master vnd.oasis.opendocument.text-master-template
vnd.oasis.opendocument.text-template vnd.oasis.opendocument.text-web vnd.obn vnd.ocf+cbor
vnd.oci.image.manifest.v1+json vnd.oftn.l10n+json vnd.oipf.contentaccessdownload+xml
vnd.oipf.contentaccessstreaming+xml vnd.oipf.cspg-hexbinary vnd.oipf.dae.svg+xml
vnd.oipf.dae.xhtml+xml vnd.oipf.mippvcontrolmessage+xml vnd.oipf.pae.gem vnd.oipf.spdiscovery+xml
vnd.oipf.spdlist+xml vnd.oipf.ueprofile+xml vnd.oipf.userprofile+xml vnd.olpc-sugar
vnd.oma-scws-config vnd.oma-scws-http-request vnd.oma-scws-http-response
vnd.oma.bcast.associated-procedure-parameter+xml vnd.oma.bcast.imd+xml vnd.oma.bcast.ltkm
vnd.oma.bcast.notification+xml vnd.oma.bcast.provisioningtrigger vnd.oma.bcast.sgboot
vnd.oma.bcast.sgdd+xml vnd.oma.bcast.sgdu vnd.oma.bcast.simple-symbol-container
vnd.oma.bcast.sprov+xml vnd.oma.bcast.stkm vnd.oma.cab-address-book+xml
vnd.oma.cab-feature-handler+xml vnd.oma.cab-pcc+xml vnd.oma.cab-subs-invite+xml
vnd.oma.cab-user-prefs+xml vnd.oma.dcd vnd.oma.dcdc vnd.oma.dd2+xml vnd.oma.drm.risd+xml
vnd.oma.group-usage-list+xml vnd.oma.lwm2m+cbor vnd.oma.lwm2m+json vnd.oma.lwm2m+tlv
vnd.oma.pal+xml vnd.oma.poc.detailed-progress-report+xml vnd.oma.poc.final-report+xml
vnd.oma.poc.groups+xml vnd.oma.poc.invocation-descriptor+xml
vnd.oma.poc.optimized-progress-report+xml vnd.oma.push vnd.oma.scidm.messages+xml
vnd.oma.xcap-directory+xml vnd.omads-email+xml vnd.omads-file+xml vnd.omads-folder+xml
vnd.omaloc-supl-init vnd.onepager vnd.onepagertamp vnd.onepagertamx vnd.onepagertat
vnd.onepagertatp vnd.onepagertatx vnd.onvif.metadata vnd.openblox.game+xml vnd.openblox.game-binary
vnd.openeye.oeb vnd.openstreetmap.data+xml vnd.opentimestamps.ots vnd.openvpi.dspx+json
vnd.openxmlformats-officedocument.custom-properties+xml
vnd.openxmlformats-officedocument.customxmlproperties+xml
vnd.openxmlformats-officedocument.drawing+xml vnd.openxmlformats-officedocument.drawingml.chart+xml
vnd.openxmlformats-officedocument.drawingml.chartshapes+xml
vnd.openxmlformats-officedocument.drawingml.diagramcolors+xml
vnd.openxmlformats-officedocument.drawingml.diagramdata+xml
vnd.openxmlformats-officedocument.drawingml.diagramlayout+xml
vnd.openxmlformats-officedocument.drawingml.diagramstyle+xml
vnd.openxmlformats-officedocument.extended-properties+xml
vnd.openxmlformats-officedocument.presentationml.commentauthors+xml
vnd.openxmlformats-officedocument.presentationml.comments+xml
vnd.openxmlformats-officedocument.presentationml.handoutmaster+xml
vnd.openxmlformats-officedocument.presentationml.notesmaster+xml
vnd.openxmlformats-officedocument.presentationml.notesslide+xml
vnd.openxmlformats-officedocument.presentationml.presentation
vnd.openxmlformats-officedocument.presentationml.presentation.main+xml
vnd.openxmlformats-officedocument.presentationml.presprops+xml
vnd.openxmlformats-officedocument.presentationml.slide
vnd.openxmlformats-officedocument.presentationml.slide+xml
vnd.openxmlformats-officedocument.presentationml.slidelayout+xml
vnd.openxmlformats-officedocument.presentationml.slidemaster+xml
vnd.openxmlformats-officedocument.presentationml.slideshow
vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml
vnd.openxmlformats-officedocument.presentationml.slideupdateinfo+xml
vnd.openxmlformats-officedocument.presentationml.tablestyles+xml
vnd.openxmlformats-officedocument.presentationml.tags+xml
vnd.openxmlformats-officedocument.presentationml.template
vnd.openxmlformats-officedocument.presentationml.template.main+xml
vnd.openxmlformats-officedocument.presentationml.viewprops+xml
vnd.openxmlformats-officedocument.spreadsheetml.calcchain+xml
vnd.openxmlformats-officedocument.spreadsheetml.chartsheet+xml
vnd.openxmlformats-officedocument.spreadsheetml.comments+xml
vnd.openxmlformats-officedocument.spreadsheetml.connections+xml
vnd.openxmlformats-officedocument.spreadsheetml.dialogsheet+xml
vnd.openxmlformats-officedocument.spreadsheetml.externallink+xml
vnd.openxmlformats-officedocument.spreadsheetml.pivotcachedefinition+xml
vnd.openxmlformats-officedocument.spreadsheetml.pivotcacherecords+xml
vnd.openxmlformats-officedocument.spreadsheetml.pivottable+xml
vnd.openxmlformats-officedocument.spreadsheetml.querytable+xml
vnd.openxmlformats-officedocument.spreadsheetml.revisionheaders+xml
vnd.openxmlformats-officedocument.spreadsheetml.revisionlog+xml
vnd.openxmlformats-officedocument.spreadsheetml.sharedstrings+xml
vnd.openxmlformats-officedocument.spreadsheetml.sheet
vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml
vnd.openxmlformats-officedocument.spreadsheetml.sheetmetadata+xml
vnd.openxmlformats-officedocument.spreadsheetml.styles+xml
vnd.openxmlformats-officedocument.spreadsheetml.table+xml
vnd.openxmlformats-officedocument.spreadsheetml.tablesinglecells+xml
vnd.openxmlformats-officedocument.spreadsheetml.template
vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml
vnd.openxmlformats-officedocument.spreadsheetml.usernames+xml
vnd.openxmlformats-officedocument.spreadsheetml.volatiledependencies+xml
vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml
vnd.openxmlformats-officedocument.theme+xml vnd.openxmlformats-officedocument.themeoverride+xml
vnd.openxmlformats-officedocument.vmldrawing
vnd.openxmlformats-officedocument.wordprocessingml.comments+xml
vnd.openxmlformats-officedocument.wordprocessingml.document
vnd.openxmlformats-officedocument.wordprocessingml.document.glossary+xml
vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml
vnd.openxmlformats-officedocument.wordprocessingml.endnotes+xml
vnd.openxmlformats-officedocument.wordprocessingml.fonttable+xml
vnd.openxmlformats-officedocument.wordprocessingml.footer+xml
vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml
vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml
vnd.openxmlformats-officedocument.wordprocessingml.settings+xml
vnd.openxmlformats-officedocument.wordprocessingml.styles+xml
vnd.openxmlformats-officedocument.wordprocessingml.template
vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml
vnd.openxmlformats-officedocument.wordprocessingml.websettings+xml
vnd.openxmlformats-package.core-properties+xml
vnd.openxmlformats-package.digital-signature-xmlsignature+xml
vnd.openxmlformats-package.relationships+xml vnd.oracle.resource+json vnd.orange.indata
vnd.osa.netdeploy vnd.osgeo.mapguide.package vnd.osgi.bundle vnd.osgi.dp vnd.osgi.subsystem
vnd.otps.ct-kip+xml vnd.oxli.countgraph vnd.pagerduty+json vnd.palm vnd.panoply vnd.paos.xml
vnd.patentdive vnd.patientecommsdoc vnd.pawaafile vnd.pcos vnd.pg.format vnd.pg.osasli
vnd.piaccess.application-licence vnd.picsel vnd.pmi.widget vnd.poc.group-advertisement+xml
vnd.pocketlearn vnd.powerbuilder6 vnd.powerbuilder6-s vnd.powerbuilder7 vnd.powerbuilder7-s
vnd.powerbuilder75 vnd.powerbuilder75-s vnd.preminet vnd.previewsystems.box vnd.proteus.magazine
vnd.psfs vnd.pt.mundusmundi vnd.publishare-delta-tree vnd.pvi.ptid1 vnd.pwg-multiplexed
vnd.pwg-xhtml-print+xml vnd.qualcomm.brew-app-res vnd.quarantainenet vnd.quark.quarkxpress
vnd.quobject-quoxdocument vnd.radisys.moml+xml vnd.radisys.msml+xml vnd.radisys.msml-audit+xml
vnd.radisys.msml-audit-conf+xml vnd.radisys.msml-audit-conn+xml vnd.radisys.msml-audit-dialog+xml
vnd.radisys.msml-audit-stream+xml vnd.radisys.msml-conf+xml vnd.radisys.msml-dialog+xml
vnd.radisys.msml-dialog-base+xml vnd.radisys.msml-dialog-fax-detect+xml
vnd.radisys.msml-dialog-fax-sendrecv+xml vnd.radisys.msml-dialog-group+xml
vnd.radisys.msml-dialog-speech+xml vnd.radisys.msml-dialog-transform+xml vnd.rainstor.data
vnd.rapid vnd.rar vnd.realvnc.bed vnd.recordare.musicxml vnd.recordare.musicxml+xml vnd.relpipe
vnd.renlearn.rlprint vnd.resilient.logic vnd.restful+json vnd.rig.cryptonote vnd.route66.link66+xml
vnd.rs-274x vnd.ruckus.download vnd.s3sms vnd.sailingtracker.track vnd.sar vnd.sbm.cid vnd.sbm.mid2
vnd.scribus vnd.sealed.3df vnd.sealed.csf vnd.sealed.doc vnd.sealed.eml vnd.sealed.mht
vnd.sealed.net vnd.sealed.ppt vnd.sealed.tiff vnd.sealed.xls vnd.sealedmedia.softseal.html
vnd.sealedmedia.softseal.pdf vnd.seemail vnd.seis+json vnd.sema vnd.semd vnd.semf
vnd.shade-save-file vnd.shana.informed.formdata vnd.shana.informed.formtemplate
vnd.shana.informed.interchange vnd.shana.informed.package vnd.shootproof+json vnd.shopkick+json
vnd.shp vnd.shx vnd.sigrok.session vnd.simtech-mindmapper vnd.siren+json vnd.sketchometry vnd.smaf
vnd.smart.notebook vnd.smart.teacher vnd.smintio.portals.archive vnd.snesdev-page-table
vnd.software602.filler.form+xml vnd.software602.filler.form-xml-zip vnd.solent.sdkm+xml
vnd.spotfire.dxp vnd.spotfire.sfs vnd.sqlite3 vnd.sss-cod vnd.sss-dtf vnd.sss-ntf
vnd.stepmania.package vnd.stepmania.stepchart vnd.street-stream vnd.sun.wadl+xml vnd.sus-calendar
vnd.svd vnd.swiftview-ics vnd.sybyl.mol2 vnd.sycle+xml vnd.syft+json vnd.syncml+xml
vnd.syncml.dm+wbxml vnd.syncml.dm+xml vnd.syncml.dm.notification vnd.syncml.dmddf+wbxml
vnd.syncml.dmddf+xml vnd.syncml.dmtnds+wbxml vnd.syncml.dmtnds+xml vnd.syncml.ds.notification
vnd.tableschema+json vnd.tao.intent-module-archive vnd.tcpdump.pcap vnd.think-cell.ppttc+json
vnd.tmd.mediaflex.api+xml vnd.tml vnd.tmobile-livetv vnd.tri.onesource vnd.trid.tpt
vnd.triscape.mxs vnd.trueapp vnd.truedoc vnd.ubisoft.webplayer vnd.ufdl vnd.uic.osdm+json
vnd.uiq.theme vnd.umajin vnd.unity vnd.uoml+xml vnd.uplanet.alert vnd.uplanet.alert-wbxml
vnd.uplanet.bearer-choice vnd.uplanet.bearer-choice-wbxml vnd.uplanet.cacheop
vnd.uplanet.cacheop-wbxml vnd.uplanet.channel vnd.uplanet.channel-wbxml vnd.uplanet.list
vnd.uplanet.list-wbxml vnd.uplanet.listcmd vnd.uplanet.listcmd-wbxml vnd.uplanet.signal vnd.uri-map
vnd.valve.source.material vnd.vcx vnd.vd-study vnd.vectorworks vnd.vel+json
vnd.veraison.tsm-report+cbor vnd.veraison.tsm-report+json vnd.verimatrix.vcas
vnd.veritone.aion+json vnd.veryant.thin vnd.ves.encrypted vnd.vidsoft.vidconference vnd.visio
vnd.visionary vnd.vividence.scriptfile vnd.vocalshaper.vsp4 vnd.vsf vnd.wap.sic vnd.wap.slc
vnd.wap.wbxml vnd.wap.wmlc vnd.wap.wmlscriptc vnd.wasmflow.wafl vnd.webturbo vnd.wfa.dpp
vnd.wfa.p2p vnd.wfa.wsc vnd.windows.devicepairing vnd.wmc vnd.wmf.bootstrap vnd.wolfram.mathematica
vnd.wolfram.mathematica.package vnd.wolfram.player vnd.wordlift vnd.wordperfect vnd.wqd
vnd.wrq-hp3000-labelled vnd.wt.stf vnd.wv.csp+wbxml vnd.wv.csp+xml vnd.wv.ssp+xml vnd.xacml+json
vnd.xara vnd.xarin.cpj vnd.xecrets-encrypted vnd.xfdl vnd.xfdl.webform vnd.xmi+xml vnd.xmpie.cpkg
vnd.xmpie.dpkg vnd.xmpie.plan vnd.xmpie.ppkg vnd.xmpie.xlim vnd.yamaha.hv-dic vnd.yamaha.hv-script
vnd.yamaha.hv-voice vnd.yamaha.openscoreformat vnd.yamaha.openscoreformat.osfpvg+xml
vnd.yamaha.remote-setup vnd.yamaha.smaf-audio vnd.yamaha.smaf-phrase vnd.yamaha.through-ngn
vnd.yamaha.tunnel-udpencap vnd.yaoweme vnd.yellowriver-custom-menu vnd.zul vnd.zzazz.deck+xml
voicexml+xml voucher-cms+json voucher-jws+json vp vp+cose vp+jwt vq-rtcpxr wasm watcherinfo+xml
webpush-options+json whoispp-query whoispp-response widget wita wordperfect5.1 wsdl+xml
wspolicy+xml x-pki-message x-www-form-urlencoded x-x509-ca-cert x-x509-ca-ra-cert
x-x509-next-ca-cert x400-bp xacml+xml xcap-att+xml xcap-caps+xml xcap-diff+xml xcap-el+xml
xcap-error+xml xcap-ns+xml xcon-conference-info+xml xcon-conference-info-diff+xml xenc+xml xfdf
xhtml+xml xliff+xml xml xml-dtd xml-external-parsed-entity xml-patch+xml xmpp+xml xop+xml xslt+xml
xv+xml yaml yang yang-data+cbor yang-data+json yang-data+xml yang-patch+json yang-patch+xml
yang-sid+json yin+xml zip zlib zstd
""",
    "audio": """
1d-interleaved-parityfec 32kadpcm 3gpp 3gpp2 aac ac3 amr amr-wb amr-wb+ aptx asc
atrac-advanced-lossless atrac-x atrac3 basic bv16 bv32 clearmode cn dat12 dls dsr-es201108
dsr-es202050 dsr-es202211 dsr-es202212 dv dvi4 eac3 encaprtp evrc evrc-qcp evrc0 evrc1 evrcb evrcb0
evrcb1 evrcnw evrcnw0 evrcnw1 evrcwb evrcwb0 evrcwb1 evs flac flexfec fwdred g711-0 g719 g722 g7221
g723 g726-16 g726-24 g726-32 g726-40 g728 g729 g7291 g729d g729e gsm gsm-efr gsm-hr-08 ilbc
ip-mr_v2.5 l16 l20 l24 l8 lpc matroska melp melp1200 melp2400 melp600 mhas midi-clip mobile-xmf mp4
mp4a-latm mpa mpa-robust mpeg mpeg4-generic ogg opus parityfec pcma pcma-wb pcmu pcmu-wb prs.sid
qcelp raptorfec red rtp-enc-aescm128 rtp-midi rtploopback rtx scip smv smv-qcp smv0 sofa sp-midi
speex t140c t38 telephone-event tetra_acelp tetra_acelp_bb tone tsvcis uemclip ulpfec usac vdvi
vmr-wb vnd.3gpp.iufp vnd.4sb vnd.audiokoz vnd.celp vnd.cisco.nse vnd.cmles.radio-events
vnd.cns.anp1 vnd.cns.inf1 vnd.dece.audio vnd.digital-winds vnd.dlna.adts vnd.dolby.heaac.1
vnd.dolby.heaac.2 vnd.dolby.mlp vnd.dolby.mps vnd.dolby.pl2 vnd.dolby.pl2x vnd.dolby.pl2z
vnd.dolby.pulse.1 vnd.dra vnd.dts vnd.dts.hd vnd.dts.uhd vnd.dvb.file vnd.everad.plj vnd.hns.audio
vnd.lucent.voice vnd.ms-playready.media.pya vnd.nokia.mobile-xmf vnd.nortel.vbk vnd.nuera.ecelp4800
vnd.nuera.ecelp7470 vnd.nuera.ecelp9600 vnd.octel.sbc vnd.presonus.multitrack vnd.rhetorex.32kadpcm
vnd.rip vnd.sealedmedia.softseal.mpeg vnd.vmx.cvsd vorbis vorbis-config
""",
    "font": """
collection otf sfnt ttf woff woff2
""",
    "image": """
aces apng avci avcs avif bmp cgm dicom-rle dpx emf fits g3fax gif heic heic-sequence heif
heif-sequence hej2k ief j2c jaii jais jls jp2 jpeg jph jphc jpm jpx jxl jxr jxra jxrs jxs jxsc jxsi
jxss ktx ktx2 naplps png prs.btif prs.pti pwg-raster svg+xml t38 tiff tiff-fx vnd.adobe.photoshop
vnd.airzip.accelerator.azv vnd.clip vnd.cns.inf2 vnd.dece.graphic vnd.djvu vnd.dvb.subtitle vnd.dwg
vnd.dxf vnd.fastbidsheet vnd.fpx vnd.fst vnd.fujixerox.edmics-mmr vnd.fujixerox.edmics-rlc
vnd.globalgraphics.pgb vnd.microsoft.icon vnd.mix vnd.mozilla.apng vnd.ms-modi vnd.net-fpx
vnd.pco.b16 vnd.radiance vnd.sealed.png vnd.sealedmedia.softseal.gif vnd.sealedmedia.softseal.jpg
vnd.svf vnd.tencent.tap vnd.valve.source.texture vnd.wap.wbmp vnd.xiff vnd.zbrush.pcx webp wmf
x-emf x-wmf
""",
    "message": """
bhttp cpim delivery-status disposition-notification external-body feedback-report global
global-delivery-status global-disposition-notification global-headers http imdn+xml mls ohttp-req
ohttp-res partial rfc822 sip sipfrag tracking-status vnd.wfa.wsc
""",
    "model": """
3mf e57 gltf+json gltf-binary iges jt mesh mtl obj prc step step+xml step+zip step-xml+zip stl u3d
vnd.bary vnd.cld vnd.collada+xml vnd.dwf vnd.flatland.3dml vnd.gdl vnd.gs.gdl vnd.gtw vnd.moml+xml
vnd.mts vnd.opengex vnd.parasolid.transmit.binary vnd.parasolid.transmit.text vnd.pytha.pyox
vnd.rosette.annotated-data-model vnd.sap.vds vnd.usda vnd.usdz+zip vnd.valve.source.compiled-map
vnd.vtu vrml x3d+fastinfoset x3d+xml x3d-vrml
""",
    "multipart": """
alternative appledouble byteranges digest encrypted form-data header-set mixed multilingual
parallel related report signed vnd.bint.med-plus voice-message x-mixed-replace
""",
    "text": """
1d-interleaved-parityfec cache-manifest calendar cql cql-expression cql-identifier css csv
csv-schema directory dns encaprtp enriched fhirpath flexfec fwdred gff3 grammar-ref-list hl7v2 html
javascript jcr-cnd markdown mizar n3 parameters parityfec plain provenance-notation
prs.fallenstein.rst prs.lines.tag prs.prop.logic prs.texi raptorfec red rfc822-headers richtext rtf
rtp-enc-aescm128 rtploopback rtx sgml shaclc shex spdx strings t140 tab-separated-values troff
turtle ulpfec uri-list vcard vnd.a vnd.abc vnd.ascii-art vnd.curl vnd.debian.copyright
vnd.dmclientscript vnd.dvb.subtitle vnd.esmertec.theme-descriptor vnd.exchangeable
vnd.familysearch.gedcom vnd.ficlab.flt vnd.fly vnd.fmi.flexstor vnd.gml vnd.graphviz vnd.hans
vnd.hgl vnd.in3d.3dml vnd.in3d.spot vnd.iptc.newsml vnd.iptc.nitf vnd.latex-z vnd.motorola.reflex
vnd.ms-mediapackage vnd.net2phone.commcenter.command vnd.radisys.msml-basic-layout
vnd.senx.warpscript vnd.sosi vnd.sun.j2me.app-descriptor vnd.trolltech.linguist vnd.vcf vnd.wap.si
vnd.wap.sl vnd.wap.wml vnd.wap.wmlscript vnd.zoo.kcl vtt wgsl xml xml-external-parsed-entity
""",
    "video": """
1d-interleaved-parityfec 3gpp 3gpp-tt 3gpp2 av1 bmpeg bt656 celb dv encaprtp evc ffv1 flexfec h261
h263 h263-1998 h263-2000 h264 h264-rcdo h264-svc h265 h266 iso.segment jpeg jpeg2000 jxsv
lottie+json matroska matroska-3d mj2 mp1s mp2p mp2t mp4 mp4v-es mpeg mpeg4-generic mpv nv ogg
parityfec pointer quicktime raptorfec raw rtp-enc-aescm128 rtploopback rtx scip smpte291 smpte292m
ulpfec vc1 vc2 vnd.cctv vnd.dece.hd vnd.dece.mobile vnd.dece.mp4 vnd.dece.pd vnd.dece.sd
vnd.dece.video vnd.directv.mpeg vnd.directv.mpeg-tts vnd.dlna.mpeg-tts vnd.dvb.file vnd.fvt
vnd.hns.video vnd.iptvforum.1dparityfec-1010 vnd.iptvforum.1dparityfec-2005
vnd.iptvforum.2dparityfec-1010 vnd.iptvforum.2dparityfec-2005 vnd.iptvforum.ttsavc
vnd.iptvforum.ttsmpeg2 vnd.motorola.video vnd.motorola.videop vnd.mpegurl
vnd.ms-playready.media.pyv vnd.nokia.interleaved-multimedia vnd.nokia.mp4vr vnd.nokia.videovoip
vnd.objectvideo vnd.planar vnd.radgamettools.bink vnd.sealed.mpeg1 vnd.sealed.mpeg4 vnd.sealed.swf
vnd.sealedmedia.softseal.mov vnd.uvvu.mp4 vnd.vivo vnd.youtube.yt vp8 vp9
""",
}
"""Top-level type to its minor names, separated by white space."""

_ALIASES = {
    "utf-8": "utf8 csutf8 unicode-1-1-utf-8",
    "utf-16": "utf16 csutf16",
    "utf-16be": "csutf16be",
    "utf-16le": "csutf16le",
    "utf-32": "utf32 csutf32",
    "utf-32be": "csutf32be",
    "utf-32le": "csutf32le",
    "utf-7": "csutf7",
    "utf-7-imap": "csutf7imap",
    "iso-10646-ucs-2": "csunicode ucs-2 ucs2",
    "iso-10646-ucs-4": "csucs4 ucs-4 ucs4",
    "iso-10646-utf-1": "csiso10646utf1",
    "unicode-1-1": "csunicode11",
    "unicode-1-1-utf-7": "csunicode11utf7",
    "cesu-8": "cscesu8 cscesu-8",
    "scsu": "csscsu",
    "bocu-1": "csbocu1 csbocu-1",
    "shift_jis": "ms_kanji csshiftjis shift-jis sjis x-sjis",
    "windows-31j": "cswindows31j cp932 ms932",
    "euc-jp": (
        "extended_unix_code_packed_format_for_japanese cseucpkdfmtjapanese eucjp x-euc-jp euc_jp"
    ),
    "extended_unix_code_fixed_width_for_japanese": "cseucfixwidjapanese",
    "iso-2022-jp": "csiso2022jp",
    "iso-2022-jp-2": "csiso2022jp2",
    "euc-kr": "cseuckr euckr euc_kr",
    "iso-2022-kr": "csiso2022kr",
    "ks_c_5601-1987": "iso-ir-149 ks_c_5601-1989 ksc_5601 korean csksc56011987",
    "gb2312": "csgb2312 euc-cn",
    "gb_2312-80": "iso-ir-58 chinese csiso58gb231280",
    "gbk": "cp936 ms936 windows-936 csgbk",
    "gb18030": "csgb18030",
    "hz-gb-2312": "cshzgb2312",
    "big5": "csbig5 big-5 x-x-big5 cn-big5",
    "big5-hkscs": "csbig5hkscs",
    "iso-2022-cn": "csiso2022cn",
    "iso-2022-cn-ext": "csiso2022cnext",
    "jis_c6226-1983": "iso-ir-87 x0208 jis_x0208-1983 csiso87jisx0208",
    "jis_x0212-1990": "x0212 iso-ir-159 csiso159jisx02121990",
}

MULTI_BYTE = {
    label: name for name, aliases in _ALIASES.items() for label in (name, *aliases.split())
}
"""Label in lower case to the name that is the format token."""
