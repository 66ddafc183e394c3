"""Worker processes for third-party decoders (pictures, sound, video, PDF), confined by the kernel.

| module | contents |
|---|---|
| kinds | the kinds of worker: what each imports, what it does, and its limits |
| messages | the protocol: JSON, octets and a file descriptor |
| signatures | the kind that checks signatures of PDFs |
| worker | the process that decodes, and its confinement: no files, sockets, programs |
| workers | pools of warm workers, with queue, memory limit and timeout |

A process that serves, verifies or holds keys sends octets to `DecodingPool`, and gets back a part
of them or a PermaciteError. The answer is trusted with no more than that: it is JSON and octets.
"""
