"""Media types that IANA had registered by March 2025: the basis of format tokens.

Sorted by top-level type, in lower case. The list is frozen: a token once made from it must never
change, so a type registered later keeps the token major+minor that it has without a row here.
"""

from __future__ import annotations

__all__ = ["FIRST_ASSIGNMENT", "REGISTERED"]

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

_OPEN = {
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
vcard+json vcard+xml vemmi voicexml+xml voucher-cms+json voucher-jws+json vp vp+cose vp+jwt
vq-rtcpxr wasm watcherinfo+xml webpush-options+json whoispp-query whoispp-response widget wita
wordperfect5.1 wsdl+xml wspolicy+xml x-pki-message x-www-form-urlencoded x-x509-ca-cert
x-x509-ca-ra-cert x-x509-next-ca-cert x400-bp xacml+xml xcap-att+xml xcap-caps+xml xcap-diff+xml
xcap-el+xml xcap-error+xml xcap-ns+xml xcon-conference-info+xml xcon-conference-info-diff+xml
xenc+xml xfdf xhtml+xml xliff+xml xml xml-dtd xml-external-parsed-entity xml-patch+xml xmpp+xml
xop+xml xslt+xml xv+xml yaml yang yang-data+cbor yang-data+json yang-data+xml yang-patch+json
yang-patch+xml yang-sid+json yin+xml zip zlib zstd
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
vmr-wb vorbis vorbis-config
""",
    "font": """
collection otf sfnt ttf woff woff2
""",
    "image": """
aces apng avci avcs avif bmp cgm dicom-rle dpx emf fits g3fax gif heic heic-sequence heif
heif-sequence hej2k ief j2c jaii jais jls jp2 jpeg jph jphc jpm jpx jxl jxr jxra jxrs jxs jxsc jxsi
jxss ktx ktx2 naplps png prs.btif prs.pti pwg-raster svg+xml t38 tiff tiff-fx webp wmf x-emf x-wmf
""",
    "message": """
bhttp cpim delivery-status disposition-notification external-body feedback-report global
global-delivery-status global-disposition-notification global-headers http imdn+xml mls ohttp-req
ohttp-res partial rfc822 sip sipfrag tracking-status
""",
    "model": """
3mf e57 gltf+json gltf-binary iges jt mesh mtl obj prc step step+xml step+zip step-xml+zip stl u3d
vrml x3d+fastinfoset x3d+xml x3d-vrml
""",
    "multipart": """
alternative appledouble byteranges digest encrypted form-data header-set mixed multilingual
parallel related report signed voice-message x-mixed-replace
""",
    "text": """
1d-interleaved-parityfec cache-manifest calendar cql cql-expression cql-identifier css csv
csv-schema directory dns encaprtp enriched fhirpath flexfec fwdred gff3 grammar-ref-list hl7v2 html
javascript jcr-cnd markdown mizar n3 parameters parityfec plain provenance-notation
prs.fallenstein.rst prs.lines.tag prs.prop.logic prs.texi raptorfec red rfc822-headers richtext rtf
rtp-enc-aescm128 rtploopback rtx sgml shaclc shex spdx strings t140 tab-separated-values troff
turtle ulpfec uri-list vcard vtt wgsl xml xml-external-parsed-entity
""",
    "video": """
1d-interleaved-parityfec 3gpp 3gpp-tt 3gpp2 av1 bmpeg bt656 celb dv encaprtp evc ffv1 flexfec h261
h263 h263-1998 h263-2000 h264 h264-rcdo h264-svc h265 h266 iso.segment jpeg jpeg2000 jxsv
lottie+json matroska matroska-3d mj2 mp1s mp2p mp2t mp4 mp4v-es mpeg mpeg4-generic mpv nv ogg
parityfec pointer quicktime raptorfec raw rtp-enc-aescm128 rtploopback rtx scip smpte291 smpte292m
ulpfec vc1 vc2 vp8 vp9
""",
}
"""Top-level type to its minor names outside the tree of vendors."""

_VENDORS = {
    "application": """
1000minds.decision-model+xml 1ob 3gpp-prose+xml 3gpp-prose-pc3a+xml 3gpp-prose-pc3ach+xml
3gpp-prose-pc3ch+xml 3gpp-prose-pc8+xml 3gpp-v2x-local-service-information 3gpp.5gnas 3gpp.5gsa2x
3gpp.5gsa2x-local-service-information 3gpp.5gsv2x 3gpp.5gsv2x-local-service-information
3gpp.access-transfer-events+xml 3gpp.bsf+xml 3gpp.crs+xml 3gpp.current-location-discovery+xml
3gpp.gmop+xml 3gpp.gtpc 3gpp.interworking-data 3gpp.lpp 3gpp.mc-signalling-ear
3gpp.mcdata-affiliation-command+xml 3gpp.mcdata-info+xml 3gpp.mcdata-msgstore-ctrl-request+xml
3gpp.mcdata-payload 3gpp.mcdata-regroup+xml 3gpp.mcdata-service-config+xml 3gpp.mcdata-signalling
3gpp.mcdata-ue-config+xml 3gpp.mcdata-user-profile+xml 3gpp.mcptt-affiliation-command+xml
3gpp.mcptt-floor-request+xml 3gpp.mcptt-info+xml 3gpp.mcptt-location-info+xml
3gpp.mcptt-mbms-usage-info+xml 3gpp.mcptt-regroup+xml 3gpp.mcptt-service-config+xml
3gpp.mcptt-signed+xml 3gpp.mcptt-ue-config+xml 3gpp.mcptt-ue-init-config+xml
3gpp.mcptt-user-profile+xml 3gpp.mcvideo-affiliation-command+xml 3gpp.mcvideo-info+xml
3gpp.mcvideo-location-info+xml 3gpp.mcvideo-mbms-usage-info+xml 3gpp.mcvideo-regroup+xml
3gpp.mcvideo-service-config+xml 3gpp.mcvideo-transmission-request+xml 3gpp.mcvideo-ue-config+xml
3gpp.mcvideo-user-profile+xml 3gpp.mid-call+xml 3gpp.ngap 3gpp.pfcp 3gpp.pic-bw-large
3gpp.pic-bw-small 3gpp.pic-bw-var 3gpp.pinapp-info+xml 3gpp.s1ap 3gpp.seal-group-doc+xml
3gpp.seal-info+xml 3gpp.seal-location-info+xml 3gpp.seal-mbms-usage-info+xml
3gpp.seal-network-qos-management-info+xml 3gpp.seal-ue-config-info+xml 3gpp.seal-unicast-info+xml
3gpp.seal-user-profile-info+xml 3gpp.sms 3gpp.sms+xml 3gpp.srvcc-ext+xml 3gpp.srvcc-info+xml
3gpp.state-and-event-info+xml 3gpp.ussd+xml 3gpp.v2x 3gpp.vae-info+xml 3gpp2.bcmcsinfo+xml
3gpp2.sms 3gpp2.tcap 3lightssoftware.imagescal 3m.post-it-notes accpac.simply.aso accpac.simply.imp
acm.addressxfer+json acm.chatbot+json acucobol acucorp adobe.flash.movie adobe.formscentral.fcdt
adobe.fxp adobe.partial-upload adobe.xdp+xml aether.imp afpc.afplinedata afpc.afplinedata-pagedef
afpc.cmoca-cmresource afpc.foca-charset afpc.foca-codedfont afpc.foca-codepage afpc.modca
afpc.modca-cmtable afpc.modca-formdef afpc.modca-mediummap afpc.modca-objectcontainer
afpc.modca-overlay afpc.modca-pagesegment age ahead.space airzip.filesecure.azf
airzip.filesecure.azs amadeus+json amazon.mobi8-ebook americandynamics.acc amiga.ami
amundsen.maze+xml android.ota anki anser-web-certificate-issue-initiation antix.game-component
apache.arrow.file apache.arrow.stream apache.parquet apache.thrift.binary apache.thrift.compact
apache.thrift.json apexlang api+json aplextor.warrp+json apothekende.reservation+json
apple.installer+xml apple.keynote apple.mpegurl apple.numbers apple.pages aristanetworks.swi
artisan+json artsquare astraea-software.iota audiograph autopackage avalon+json avistar+xml
balsamiq.bmml+xml balsamiq.bmpr banana-accounting bbf.usp.error bbf.usp.msg bbf.usp.msg+json
bekitzur-stech+json belightsoft.lhzd+zip belightsoft.lhzl+zip bint.med-content biopax.rdf+xml
blink-idb-value-wrapper blueice.multipass bluetooth.ep.oob bluetooth.le.oob bmi bpf bpf3
businessobjects byu.uapi+json bzip3 c3voc.schedule+xml cab-jscript canon-cpdl canon-lips
capasystems-pg+json cendio.thinlinc.clientconf century-systems.tcp_stream chemdraw+xml chess-pgn
chipnuts.karaoke-mmd ciedi cinderella cirpack.isdn-ext citationstyles.style+xml claymore
cloanto.rp9 clonk.c4group cluetrust.cartomobile-config cluetrust.cartomobile-config-pkg
cncf.helm.chart.content.v1.tar+gzip cncf.helm.chart.provenance.v1.prov cncf.helm.config.v1+json
coffeescript collabio.xodocuments.document collabio.xodocuments.document-template
collabio.xodocuments.presentation collabio.xodocuments.presentation-template
collabio.xodocuments.spreadsheet collabio.xodocuments.spreadsheet-template collection+json
collection.doc+json collection.next+json comicbook+zip comicbook-rar commerce-battelle commonspace
contact.cmsg coreos.ignition+json cosmocaller crick.clicker crick.clicker.keyboard
crick.clicker.palette crick.clicker.template crick.clicker.wordbank criticaltools.wbs+xml
cryptii.pipe+json crypto-shade-file cryptomator.encrypted cryptomator.vault ctc-posml ctct.ws+xml
cups-pdf cups-postscript cups-ppd cups-raster cups-raw curl cyan.dean.root+xml cybank
cyclonedx+json cyclonedx+xml d2l.coursepackage1p0+zip d3m-dataset d3m-problem dart data-vision.rdz
datalog datapackage+json dataresource+json dbf dcmp+xml debian.binary-package dece.data
dece.ttml+xml dece.unspecified dece.zip denovo.fcselayout-link desmume.movie
dir-bi.plate-dl-nosuffix dm.delegation+xml dna document+json dolby.mobile.1 dolby.mobile.2
doremir.scorecloud-binary-document dpgraph dreamfactory drive+json dtg.local dtg.local.flash
dtg.local.html dvb.ait dvb.dvbisl+xml dvb.dvbj dvb.esgcontainer dvb.ipdcdftnotifaccess
dvb.ipdcesgaccess dvb.ipdcesgaccess2 dvb.ipdcesgpdd dvb.ipdcroaming dvb.iptv.alfec-base
dvb.iptv.alfec-enhancement dvb.notif-aggregate-root+xml dvb.notif-container+xml
dvb.notif-generic+xml dvb.notif-ia-msglist+xml dvb.notif-ia-registration-request+xml
dvb.notif-ia-registration-response+xml dvb.notif-init+xml dvb.pfr dvb.service dxr dynageo dzr
easykaraoke.cdgdownload ecdis-update ecip.rlp eclipse.ditto+json ecowin.chart ecowin.filerequest
ecowin.fileupdate ecowin.series ecowin.seriesrequest ecowin.seriesupdate efi.img efi.iso eln+zip
emclient.accessrequest+xml enliven enphase.envoy eprints.data+xml epson.esf epson.msf
epson.quickanime epson.salt epson.ssf ericsson.quickcall erofs espass-espass+zip eszigno3+xml
etsi.aoc+xml etsi.asic-e+zip etsi.asic-s+zip etsi.cug+xml etsi.iptvcommand+xml
etsi.iptvdiscovery+xml etsi.iptvprofile+xml etsi.iptvsad-bc+xml etsi.iptvsad-cod+xml
etsi.iptvsad-npvr+xml etsi.iptvservice+xml etsi.iptvsync+xml etsi.iptvueprofile+xml etsi.mcid+xml
etsi.mheg5 etsi.overload-control-policy-dataset+xml etsi.pstn+xml etsi.sci+xml etsi.simservs+xml
etsi.timestamp-token etsi.tsl+xml etsi.tsl.der eu.kasparian.car+json eudora.data evolv.ecig.profile
evolv.ecig.settings evolv.ecig.theme exstream-empower+zip exstream-package ezpix-album
ezpix-package f-secure.mobile familysearch.gedcom+zip fastcopy-disk-image fdsn.mseed fdsn.seed
fdsn.stationxml+xml ffsns ficlab.flb+zip filmit.zfc fints firemonkeys.cloudcell flographit
fluxtime.clip font-fontforge-sfd framemaker freelog.comic fsc.weblaunch fujifilm.fb.docuworks
fujifilm.fb.docuworks.binder fujifilm.fb.docuworks.container fujifilm.fb.jfi+xml fujitsu.oasys
fujitsu.oasys2 fujitsu.oasys3 fujitsu.oasysgp fujitsu.oasysprs fujixerox.art-ex fujixerox.art4
fujixerox.ddd fujixerox.docuworks fujixerox.docuworks.binder fujixerox.docuworks.container
fujixerox.hbpl fut-misnet futoin+cbor futoin+json fuzzysheet ga4gh.passport+jwt genomatix.tuxedo
genozip gentics.grd+json gentoo.catmetadata+xml gentoo.ebuild gentoo.eclass gentoo.gpkg
gentoo.manifest gentoo.pkgmetadata+xml gentoo.xpak geogebra.file geogebra.pinboard geogebra.slides
geogebra.tool geometry-explorer geonext geoplan geospace gerber globalplatform.card-content-mgt
globalplatform.card-content-mgt-response gmx gnu.taler.exchange+json gnu.taler.merchant+json
google-earth.kml+xml google-earth.kmz gov.sk.e-form+zip gov.sk.xmldatacontainer+xml gpxsee.map+xml
grafeq gridmp groove-account groove-help groove-identity-message groove-injector
groove-tool-message groove-tool-template groove-vcard hal+json hal+xml handheld-entertainment+xml
hbci hc+json hcl-bireports hdt heroku+json hhe.lesson-player hp-hpgl hp-hpid hp-hps hp-jlyt hp-pcl
hp-pclxl hsl httphone hydrostatix.sof-data hyper+json hyper-item+json hyperdrive+json
hzn-3d-crossword ibm.electronic-media ibm.minipay ibm.rights-management ibm.secure-container
iccprofile ieee.1905 igloader imagemeter.folder+zip imagemeter.image+zip immervision-ivp
immervision-ivu ims.imsccv1p1 ims.imsccv1p2 ims.imsccv1p3 ims.lis.v2.result+json
ims.lti.v2.toolconsumerprofile+json ims.lti.v2.toolproxy+json ims.lti.v2.toolproxy.id+json
ims.lti.v2.toolsettings+json ims.lti.v2.toolsettings.simple+json informedcontrol.rms+xml
infotech.project infotech.project+xml innopath.wamp.notification insors.igm intercon.formnet
intergeo intertrust.digibox intertrust.nncp intu.qbo intu.qfx ipfs.ipns-record ipld.car
ipld.dag-cbor ipld.dag-json ipld.raw iptc.g2.catalogitem+xml iptc.g2.conceptitem+xml
iptc.g2.knowledgeitem+xml iptc.g2.newsitem+xml iptc.g2.newsmessage+xml iptc.g2.packageitem+xml
iptc.g2.planningitem+xml ipunplugged.rcprofile irepository.package+xml is-xpr isac.fcs
iso11783-10+zip jam japannet-directory-service japannet-jpnstore-wakeup japannet-payment-wakeup
japannet-registration japannet-registration-wakeup japannet-setstore-wakeup japannet-verification
japannet-verification-wakeup jcp.javame.midlet-rms jisp joost.joda-archive jsk.isdn-ngn kahootz
kde.karbon kde.kchart kde.kformula kde.kivio kde.kontour kde.kpresenter kde.kspread kde.kword kdl
kenameaapp keyman.kmp+zip keyman.kmx kidspiration kinar koan kodak-descriptor las las.las+json
las.las+xml laszip ldev.productlicensing leap+json liberty-request+xml
llamagraphics.life-balance.desktop llamagraphics.life-balance.exchange+xml logipipe.circuit+zip
loom lotus-1-2-3 lotus-approach lotus-freelance lotus-notes lotus-organizer lotus-screencam
lotus-wordpro macports.portpkg mapbox-vector-tile marlin.drm.actiontoken+xml
marlin.drm.conftoken+xml marlin.drm.license+xml marlin.drm.mdcf mason+json maxar.archive.3tz+zip
maxmind.maxmind-db mcd mdl mdl-mbsdf medcalcdata mediastation.cdkey medicalholodeck.recordxr
meridian-slingshot mermaid mfer mfmp micro+json micrografx.flo micrografx.igx
microsoft.portable-executable microsoft.windows.thumbnail-cache miele+json mif minisoft-hp3000-save
mitsubishi.misty-guard.trustweb mobius.daf mobius.dis mobius.mbk mobius.mqy mobius.msl mobius.plc
mobius.txf modl mophun.application mophun.certificate motorola.flexsuite motorola.flexsuite.adsi
motorola.flexsuite.fis motorola.flexsuite.gotap motorola.flexsuite.kmr motorola.flexsuite.ttc
motorola.flexsuite.wem motorola.iprm mozilla.xul+xml ms-3mfdocument ms-artgalry ms-asf
ms-cab-compressed ms-excel ms-excel.addin.macroenabled.12 ms-excel.sheet.binary.macroenabled.12
ms-excel.sheet.macroenabled.12 ms-excel.template.macroenabled.12 ms-fontobject ms-htmlhelp ms-ims
ms-lrm ms-office.activex+xml ms-officetheme ms-playready.initiator+xml ms-powerpoint
ms-powerpoint.addin.macroenabled.12 ms-powerpoint.presentation.macroenabled.12
ms-powerpoint.slide.macroenabled.12 ms-powerpoint.slideshow.macroenabled.12
ms-powerpoint.template.macroenabled.12 ms-printdevicecapabilities+xml ms-printschematicket+xml
ms-project ms-tnef ms-windows.devicepairing ms-windows.nwprinting.oob ms-windows.printerpairing
ms-windows.wsd.oob ms-wmdrm.lic-chlg-req ms-wmdrm.lic-resp ms-wmdrm.meter-chlg-req
ms-wmdrm.meter-resp ms-word.document.macroenabled.12 ms-word.template.macroenabled.12 ms-works
ms-wpl ms-xpsdocument msa-disk-image mseq msgpack msign multiad.creator multiad.creator.cif
music-niff musician muvee.style mynfc nacamar.ybrid+json nato.bindingdataobject+cbor
nato.bindingdataobject+json nato.bindingdataobject+xml nato.openxmlformats-package.iepd+zip
ncd.control ncd.reference nearst.inv+json nebumind.line nervana netfpx neurolanguage.nlu nimn
nintendo.nitro.rom nintendo.snes.rom nitf noblenet-directory noblenet-sealer noblenet-web
nokia.catalogs nokia.conml+wbxml nokia.conml+xml nokia.iptv.config+xml nokia.isds-radio-presets
nokia.landmark+wbxml nokia.landmark+xml nokia.landmarkcollection+xml nokia.n-gage.ac+xml
nokia.n-gage.data nokia.ncd nokia.pcd+wbxml nokia.pcd+xml nokia.radio-preset nokia.radio-presets
novadigm.edm novadigm.edx novadigm.ext ntt-local.content-share ntt-local.file-transfer
ntt-local.ogw_remote-access ntt-local.sip-ta_remote ntt-local.sip-ta_tcp_stream oai.workflows
oai.workflows+json oai.workflows+yaml oasis.opendocument.base oasis.opendocument.chart
oasis.opendocument.chart-template oasis.opendocument.formula oasis.opendocument.formula-template
oasis.opendocument.graphics oasis.opendocument.graphics-template oasis.opendocument.image
oasis.opendocument.image-template oasis.opendocument.presentation
oasis.opendocument.presentation-template oasis.opendocument.spreadsheet
oasis.opendocument.spreadsheet-template oasis.opendocument.text oasis.opendocument.text-master
oasis.opendocument.text-master-template oasis.opendocument.text-template
oasis.opendocument.text-web obn ocf+cbor oci.image.manifest.v1+json oftn.l10n+json
oipf.contentaccessdownload+xml oipf.contentaccessstreaming+xml oipf.cspg-hexbinary oipf.dae.svg+xml
oipf.dae.xhtml+xml oipf.mippvcontrolmessage+xml oipf.pae.gem oipf.spdiscovery+xml oipf.spdlist+xml
oipf.ueprofile+xml oipf.userprofile+xml olpc-sugar oma-scws-config oma-scws-http-request
oma-scws-http-response oma.bcast.associated-procedure-parameter+xml oma.bcast.imd+xml
oma.bcast.ltkm oma.bcast.notification+xml oma.bcast.provisioningtrigger oma.bcast.sgboot
oma.bcast.sgdd+xml oma.bcast.sgdu oma.bcast.simple-symbol-container oma.bcast.sprov+xml
oma.bcast.stkm oma.cab-address-book+xml oma.cab-feature-handler+xml oma.cab-pcc+xml
oma.cab-subs-invite+xml oma.cab-user-prefs+xml oma.dcd oma.dcdc oma.dd2+xml oma.drm.risd+xml
oma.group-usage-list+xml oma.lwm2m+cbor oma.lwm2m+json oma.lwm2m+tlv oma.pal+xml
oma.poc.detailed-progress-report+xml oma.poc.final-report+xml oma.poc.groups+xml
oma.poc.invocation-descriptor+xml oma.poc.optimized-progress-report+xml oma.push
oma.scidm.messages+xml oma.xcap-directory+xml omads-email+xml omads-file+xml omads-folder+xml
omaloc-supl-init onepager onepagertamp onepagertamx onepagertat onepagertatp onepagertatx
onvif.metadata openblox.game+xml openblox.game-binary openeye.oeb openstreetmap.data+xml
opentimestamps.ots openvpi.dspx+json openxmlformats-officedocument.custom-properties+xml
openxmlformats-officedocument.customxmlproperties+xml openxmlformats-officedocument.drawing+xml
openxmlformats-officedocument.drawingml.chart+xml
openxmlformats-officedocument.drawingml.chartshapes+xml
openxmlformats-officedocument.drawingml.diagramcolors+xml
openxmlformats-officedocument.drawingml.diagramdata+xml
openxmlformats-officedocument.drawingml.diagramlayout+xml
openxmlformats-officedocument.drawingml.diagramstyle+xml
openxmlformats-officedocument.extended-properties+xml
openxmlformats-officedocument.presentationml.commentauthors+xml
openxmlformats-officedocument.presentationml.comments+xml
openxmlformats-officedocument.presentationml.handoutmaster+xml
openxmlformats-officedocument.presentationml.notesmaster+xml
openxmlformats-officedocument.presentationml.notesslide+xml
openxmlformats-officedocument.presentationml.presentation
openxmlformats-officedocument.presentationml.presentation.main+xml
openxmlformats-officedocument.presentationml.presprops+xml
openxmlformats-officedocument.presentationml.slide
openxmlformats-officedocument.presentationml.slide+xml
openxmlformats-officedocument.presentationml.slidelayout+xml
openxmlformats-officedocument.presentationml.slidemaster+xml
openxmlformats-officedocument.presentationml.slideshow
openxmlformats-officedocument.presentationml.slideshow.main+xml
openxmlformats-officedocument.presentationml.slideupdateinfo+xml
openxmlformats-officedocument.presentationml.tablestyles+xml
openxmlformats-officedocument.presentationml.tags+xml
openxmlformats-officedocument.presentationml.template
openxmlformats-officedocument.presentationml.template.main+xml
openxmlformats-officedocument.presentationml.viewprops+xml
openxmlformats-officedocument.spreadsheetml.calcchain+xml
openxmlformats-officedocument.spreadsheetml.chartsheet+xml
openxmlformats-officedocument.spreadsheetml.comments+xml
openxmlformats-officedocument.spreadsheetml.connections+xml
openxmlformats-officedocument.spreadsheetml.dialogsheet+xml
openxmlformats-officedocument.spreadsheetml.externallink+xml
openxmlformats-officedocument.spreadsheetml.pivotcachedefinition+xml
openxmlformats-officedocument.spreadsheetml.pivotcacherecords+xml
openxmlformats-officedocument.spreadsheetml.pivottable+xml
openxmlformats-officedocument.spreadsheetml.querytable+xml
openxmlformats-officedocument.spreadsheetml.revisionheaders+xml
openxmlformats-officedocument.spreadsheetml.revisionlog+xml
openxmlformats-officedocument.spreadsheetml.sharedstrings+xml
openxmlformats-officedocument.spreadsheetml.sheet
openxmlformats-officedocument.spreadsheetml.sheet.main+xml
openxmlformats-officedocument.spreadsheetml.sheetmetadata+xml
openxmlformats-officedocument.spreadsheetml.styles+xml
openxmlformats-officedocument.spreadsheetml.table+xml
openxmlformats-officedocument.spreadsheetml.tablesinglecells+xml
openxmlformats-officedocument.spreadsheetml.template
openxmlformats-officedocument.spreadsheetml.template.main+xml
openxmlformats-officedocument.spreadsheetml.usernames+xml
openxmlformats-officedocument.spreadsheetml.volatiledependencies+xml
openxmlformats-officedocument.spreadsheetml.worksheet+xml openxmlformats-officedocument.theme+xml
openxmlformats-officedocument.themeoverride+xml openxmlformats-officedocument.vmldrawing
openxmlformats-officedocument.wordprocessingml.comments+xml
openxmlformats-officedocument.wordprocessingml.document
openxmlformats-officedocument.wordprocessingml.document.glossary+xml
openxmlformats-officedocument.wordprocessingml.document.main+xml
openxmlformats-officedocument.wordprocessingml.endnotes+xml
openxmlformats-officedocument.wordprocessingml.fonttable+xml
openxmlformats-officedocument.wordprocessingml.footer+xml
openxmlformats-officedocument.wordprocessingml.footnotes+xml
openxmlformats-officedocument.wordprocessingml.numbering+xml
openxmlformats-officedocument.wordprocessingml.settings+xml
openxmlformats-officedocument.wordprocessingml.styles+xml
openxmlformats-officedocument.wordprocessingml.template
openxmlformats-officedocument.wordprocessingml.template.main+xml
openxmlformats-officedocument.wordprocessingml.websettings+xml
openxmlformats-package.core-properties+xml
openxmlformats-package.digital-signature-xmlsignature+xml openxmlformats-package.relationships+xml
oracle.resource+json orange.indata osa.netdeploy osgeo.mapguide.package osgi.bundle osgi.dp
osgi.subsystem otps.ct-kip+xml oxli.countgraph pagerduty+json palm panoply paos.xml patentdive
patientecommsdoc pawaafile pcos pg.format pg.osasli piaccess.application-licence picsel pmi.widget
poc.group-advertisement+xml pocketlearn powerbuilder6 powerbuilder6-s powerbuilder7 powerbuilder7-s
powerbuilder75 powerbuilder75-s preminet previewsystems.box proteus.magazine psfs pt.mundusmundi
publishare-delta-tree pvi.ptid1 pwg-multiplexed pwg-xhtml-print+xml qualcomm.brew-app-res
quarantainenet quark.quarkxpress quobject-quoxdocument radisys.moml+xml radisys.msml+xml
radisys.msml-audit+xml radisys.msml-audit-conf+xml radisys.msml-audit-conn+xml
radisys.msml-audit-dialog+xml radisys.msml-audit-stream+xml radisys.msml-conf+xml
radisys.msml-dialog+xml radisys.msml-dialog-base+xml radisys.msml-dialog-fax-detect+xml
radisys.msml-dialog-fax-sendrecv+xml radisys.msml-dialog-group+xml radisys.msml-dialog-speech+xml
radisys.msml-dialog-transform+xml rainstor.data rapid rar realvnc.bed recordare.musicxml
recordare.musicxml+xml relpipe renlearn.rlprint resilient.logic restful+json rig.cryptonote
route66.link66+xml rs-274x ruckus.download s3sms sailingtracker.track sar sbm.cid sbm.mid2 scribus
sealed.3df sealed.csf sealed.doc sealed.eml sealed.mht sealed.net sealed.ppt sealed.tiff sealed.xls
sealedmedia.softseal.html sealedmedia.softseal.pdf seemail seis+json sema semd semf shade-save-file
shana.informed.formdata shana.informed.formtemplate shana.informed.interchange
shana.informed.package shootproof+json shopkick+json shp shx sigrok.session simtech-mindmapper
siren+json sketchometry smaf smart.notebook smart.teacher smintio.portals.archive
snesdev-page-table software602.filler.form+xml software602.filler.form-xml-zip solent.sdkm+xml
spotfire.dxp spotfire.sfs sqlite3 sss-cod sss-dtf sss-ntf stepmania.package stepmania.stepchart
street-stream sun.wadl+xml sus-calendar svd swiftview-ics sybyl.mol2 sycle+xml syft+json syncml+xml
syncml.dm+wbxml syncml.dm+xml syncml.dm.notification syncml.dmddf+wbxml syncml.dmddf+xml
syncml.dmtnds+wbxml syncml.dmtnds+xml syncml.ds.notification tableschema+json
tao.intent-module-archive tcpdump.pcap think-cell.ppttc+json tmd.mediaflex.api+xml tml
tmobile-livetv tri.onesource trid.tpt triscape.mxs trueapp truedoc ubisoft.webplayer ufdl
uic.osdm+json uiq.theme umajin unity uoml+xml uplanet.alert uplanet.alert-wbxml
uplanet.bearer-choice uplanet.bearer-choice-wbxml uplanet.cacheop uplanet.cacheop-wbxml
uplanet.channel uplanet.channel-wbxml uplanet.list uplanet.list-wbxml uplanet.listcmd
uplanet.listcmd-wbxml uplanet.signal uri-map valve.source.material vcx vd-study vectorworks
vel+json veraison.tsm-report+cbor veraison.tsm-report+json verimatrix.vcas veritone.aion+json
veryant.thin ves.encrypted vidsoft.vidconference visio visionary vividence.scriptfile
vocalshaper.vsp4 vsf wap.sic wap.slc wap.wbxml wap.wmlc wap.wmlscriptc wasmflow.wafl webturbo
wfa.dpp wfa.p2p wfa.wsc windows.devicepairing wmc wmf.bootstrap wolfram.mathematica
wolfram.mathematica.package wolfram.player wordlift wordperfect wqd wrq-hp3000-labelled wt.stf
wv.csp+wbxml wv.csp+xml wv.ssp+xml xacml+json xara xarin.cpj xecrets-encrypted xfdl xfdl.webform
xmi+xml xmpie.cpkg xmpie.dpkg xmpie.plan xmpie.ppkg xmpie.xlim yamaha.hv-dic yamaha.hv-script
yamaha.hv-voice yamaha.openscoreformat yamaha.openscoreformat.osfpvg+xml yamaha.remote-setup
yamaha.smaf-audio yamaha.smaf-phrase yamaha.through-ngn yamaha.tunnel-udpencap yaoweme
yellowriver-custom-menu zul zzazz.deck+xml
""",
    "audio": """
3gpp.iufp 4sb audiokoz celp cisco.nse cmles.radio-events cns.anp1 cns.inf1 dece.audio digital-winds
dlna.adts dolby.heaac.1 dolby.heaac.2 dolby.mlp dolby.mps dolby.pl2 dolby.pl2x dolby.pl2z
dolby.pulse.1 dra dts dts.hd dts.uhd dvb.file everad.plj hns.audio lucent.voice
ms-playready.media.pya nokia.mobile-xmf nortel.vbk nuera.ecelp4800 nuera.ecelp7470 nuera.ecelp9600
octel.sbc presonus.multitrack rhetorex.32kadpcm rip sealedmedia.softseal.mpeg vmx.cvsd
""",
    "image": """
adobe.photoshop airzip.accelerator.azv clip cns.inf2 dece.graphic djvu dvb.subtitle dwg dxf
fastbidsheet fpx fst fujixerox.edmics-mmr fujixerox.edmics-rlc globalgraphics.pgb microsoft.icon
mix mozilla.apng ms-modi net-fpx pco.b16 radiance sealed.png sealedmedia.softseal.gif
sealedmedia.softseal.jpg svf tencent.tap valve.source.texture wap.wbmp xiff zbrush.pcx
""",
    "message": """
wfa.wsc
""",
    "model": """
bary cld collada+xml dwf flatland.3dml gdl gs.gdl gtw moml+xml mts opengex
parasolid.transmit.binary parasolid.transmit.text pytha.pyox rosette.annotated-data-model sap.vds
usda usdz+zip valve.source.compiled-map vtu
""",
    "multipart": """
bint.med-plus
""",
    "text": """
a abc ascii-art curl debian.copyright dmclientscript dvb.subtitle esmertec.theme-descriptor
exchangeable familysearch.gedcom ficlab.flt fly fmi.flexstor gml graphviz hans hgl in3d.3dml
in3d.spot iptc.newsml iptc.nitf latex-z motorola.reflex ms-mediapackage
net2phone.commcenter.command radisys.msml-basic-layout senx.warpscript sosi sun.j2me.app-descriptor
trolltech.linguist vcf wap.si wap.sl wap.wml wap.wmlscript zoo.kcl
""",
    "video": """
cctv dece.hd dece.mobile dece.mp4 dece.pd dece.sd dece.video directv.mpeg directv.mpeg-tts
dlna.mpeg-tts dvb.file fvt hns.video iptvforum.1dparityfec-1010 iptvforum.1dparityfec-2005
iptvforum.2dparityfec-1010 iptvforum.2dparityfec-2005 iptvforum.ttsavc iptvforum.ttsmpeg2
motorola.video motorola.videop mpegurl ms-playready.media.pyv nokia.interleaved-multimedia
nokia.mp4vr nokia.videovoip objectvideo planar radgamettools.bink sealed.mpeg1 sealed.mpeg4
sealed.swf sealedmedia.softseal.mov uvvu.mp4 vivo youtube.yt
""",
}
"""Top-level type to its minor names in the tree of vendors, without the "vnd." before each."""

REGISTERED: dict[str, tuple[str, ...]] = {
    major: (*names.split(), *(f"vnd.{name}" for name in _VENDORS.get(major, "").split()))
    for major, names in _OPEN.items()
}
"""Top-level type to all its minor names."""
