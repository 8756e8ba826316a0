"""The web app: a page for people who do not use a terminal, and the same steps as a JSON API.

    server      starts and stops it                 app         puts the parts together
    security    who may send requests, from where   sessions    tells visitors apart
    pages, api  the two front ends                  views       what both do with a request
    presenters  what both show of a job             openapi     the description of the API
    catalogue   what can be chosen                  forms       checks what was chosen
    service     what can be requested               jobs, tasks a log, and the work on it
    pool        the queue and worker processes      worker      the program of a worker process
    storage     folders                             uploads     files from the network
    results     names of files in a job's folder    snapshot    a parsed log between two tasks

The server never parses a log. Worker processes do, one for each task, and they can be killed at any time.
"""
