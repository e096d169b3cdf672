using System.Collections.Generic;
using BigPile.AspNetCore.Tables;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;

namespace BigPile.Http.Api;

/// <summary>All operations of the HTTP API.</summary>
internal static class ApiCatalog
{
    private const string Json = MediaTypes.Json;
    private const string Ndjson = "application/x-ndjson";
    private const string Any = "*/*";
    private const string Entry = "/v1/tables/{table}/entries/{key}";
    private const string Table = "/v1/tables/{table}";

    private static readonly (string, string)[] Conditions =
    [
        ("If-Match", "Only if the entry has this ETag; * for any."),
        ("If-None-Match", "Only if the entry does not have this ETag; * for: only if there is none."),
        ("If-Unmodified-Since", "Only if the entry was put no later; counts without If-Match."),
    ];

    private static readonly (string, string)[] Lifetimes =
    [
        (LifetimeHeaders.Ttl, $"Time to live: {Duration.Form}."),
        (LifetimeHeaders.Sliding, $"Time that each use gives: {Duration.Form}."),
        (LifetimeHeaders.Expires, "The instant from which the entry is gone, as an HTTP date."),
        ("Cache-Control", "max-age, in seconds, where BigPile-Ttl is left out."),
    ];

    private static readonly (string, string)[] PutHeaders =
    [
        .. Lifetimes,
        (LifetimeHeaders.Tags, "Names by which entries are removed together, with commas between them."),
        (LifetimeHeaders.Priority, $"What the entry is worth when another has to make room: {Priorities.Form}."),
    ];

    private static readonly Problem[] Common =
        [ProblemCatalog.NotReady, ProblemCatalog.InvalidTableName, ProblemCatalog.OtherKeyType, ProblemCatalog.PileFailed];

    private static readonly Problem[] PutProblems =
    [
        .. Common, ProblemCatalog.BadKey, ProblemCatalog.BadHeader, ProblemCatalog.LongBody, ProblemCatalog.InvalidContentType,
        ProblemCatalog.UnsupportedCoding, ProblemCatalog.BadCoding, ProblemCatalog.PartialBody, ProblemCatalog.BadBody,
        ProblemCatalog.EntryRefused, ProblemCatalog.TableFull, ProblemCatalog.PileFull,
    ];

    private static readonly Problem[] BatchProblems =
    [
        .. Common, ProblemCatalog.LongBatch, ProblemCatalog.LongBody, ProblemCatalog.BadDocument, ProblemCatalog.UnsupportedContentType,
        ProblemCatalog.NotAcceptable, ProblemCatalog.BadBody, ProblemCatalog.UnsupportedCoding,
    ];

    internal static IReadOnlyList<ApiOperation> All { get; } = [.. Entries(), .. Batches(), .. Tables(), .. Administration(), .. Reports()];

    private static ApiOperation[] Entries() =>
    [
        Read("get", "getEntry", "The payload, byte for byte, or a range of it.", Any),
        Read("head", "headEntry", "What get answers, without the payload."),
        new("put", Entry, "putEntry", "entries", "Puts an entry, in the place of one that may be there.", 201)
        {
            Body = [Any], Headers = [.. Conditions, .. PutHeaders], Others = [(204, "The entry took the place of another one.")],
            Problems = [.. PutProblems, ProblemCatalog.Precondition],
        },
        new("post", Entry, "createEntry", "entries", "Puts an entry that is not there.", 201)
        {
            Body = [Any], Headers = PutHeaders, Problems = [.. PutProblems, ProblemCatalog.EntryExists],
        },
        new("delete", Entry, "deleteEntry", "entries", "Removes an entry.", 204)
        {
            Headers = Conditions,
            Problems =
                [.. Common, ProblemCatalog.BadKey, ProblemCatalog.EntryNotFound, ProblemCatalog.TableNotFound, ProblemCatalog.Precondition],
        },
        Renew("touch", "touchEntry", "Begins the entry's lifetime anew: as long as when it was put, or as the headers say.", Lifetimes),
        Renew("persist", "persistEntry", "Lets the entry live without an end.", []),
    ];

    private static ApiOperation Read(string method, string id, string summary, params string[] answer) =>
        new(method, Entry, id, "entries", summary, 200, answer)
        {
            Headers =
            [
                ("If-None-Match", "The ETags that the client has; 304 if the entry has one of them."),
                    ("Range", "The part that is wanted."),
                ("Accept-Encoding", "Which compressed payloads the client takes as they are stored."),
                ("Prefer", "return=minimal leaves out the body of a 404."),
            ],
            Query =
            [
                ("maxAge", "Not older than so many seconds; an older entry is 404."),
                ("look",
                    "true: the read is no use of the entry, and says its priority, the hashes of its tags and its lifetime in headers."),
            ],
            Others = [(206, "A part of the payload."), (304, "The client has it.")],
            Problems =
            [
                .. Common, ProblemCatalog.BadKey, ProblemCatalog.EntryNotFound, ProblemCatalog.TableNotFound, ProblemCatalog.OpaqueValue,
                ProblemCatalog.EntryStale, ProblemCatalog.BadMaxAge, ProblemCatalog.BadQuery, ProblemCatalog.Precondition,
                ProblemCatalog.EncodingRefused,
                ProblemCatalog.RangeOutside, ProblemCatalog.MethodNotAllowed,
            ],
        };

    private static ApiOperation Renew(string action, string id, string summary, (string, string)[] headers) =>
        new("post", $"{Entry}:{action}", id, "entries", summary, 204)
        {
            Headers = [.. Conditions, .. headers],
            Problems =
            [
                .. Common, ProblemCatalog.BadKey, ProblemCatalog.BadHeader, ProblemCatalog.EntryNotFound, ProblemCatalog.TableNotFound,
                ProblemCatalog.Precondition, ProblemCatalog.PileFull,
            ],
        };

    private static ApiOperation[] Batches() =>
    [
        new("post", Table + ":mget", "getEntries", "batches", "Reads many entries; each has a status of its own.", 200,
            BatchForms.Binary, Json, BatchForms.Multipart)
        {
            Body = [Json, BatchForms.Keys], Problems = [.. BatchProblems, ProblemCatalog.TableNotFound],
        },
        new("post", Table
            + ":mset", "putEntries", "batches", "Puts many entries, each for itself: not atomic.", 200, BatchForms.Binary, Json)
        {
            Body = [Json, BatchForms.Binary], Headers = PutHeaders, Problems =
                [.. BatchProblems, ProblemCatalog.BadHeader, ProblemCatalog.TableNotFound],
        },
        new("post", Table
            + ":mdelete", "deleteEntries", "batches", "Removes many entries, each for itself: not atomic.", 200, BatchForms.Binary, Json)
        {
            Body = [Json, BatchForms.Keys], Problems = [.. BatchProblems, ProblemCatalog.TableNotFound],
        },
        new("post", Table + ":evict", "evictTags", "batches", "Removes all entries that have one of some tags.", 204)
        {
            Body = [Json],
            Problems = [.. Common, ProblemCatalog.TableNotFound, ProblemCatalog.BadDocument, ProblemCatalog.LongBatch,
                ProblemCatalog.LongBody, ProblemCatalog.UnsupportedCoding],
        },
        new("post", Table + ":load", "load", "bulk", "Puts each line of the body, whatever its length.", 200, Json)
        {
            Body = [Ndjson], Query = [("key", "The field that has a line's key; without it, lines are as an export writes them.")],
            Problems =
            [
                .. Common, ProblemCatalog.BadQuery, ProblemCatalog.BadBody, ProblemCatalog.BadCoding, ProblemCatalog.UnsupportedCoding,
                ProblemCatalog.PileFull, ProblemCatalog.TableNotFound,
            ],
        },
        new("get", Table + ":export", "export", "bulk",
            "All entries, one a line, with lifetimes, priorities and hashes of tags, for :load.", 200, Ndjson)
        {
            Problems = [.. Common, ProblemCatalog.TableNotFound],
        },
    ];

    private static ApiOperation[] Tables() =>
    [
        new("get", "/v1/tables", "listTables", "tables", "The tables that the key reaches, with what they hold and do.", 200,
            Json) { Problems = [ProblemCatalog.NotReady] },
        new("get", Table, "getTable", "tables", "What a table holds, what it did, and how it behaves.", 200, Json)
        {
            Problems = [.. Common, ProblemCatalog.TableNotFound],
        },
        new("put", Table, "putTable", "tables", "Makes a table, or has it behave otherwise.", 201, Json)
        {
            Body = [Json], Others = [(200, "The table was there, and behaves so now.")],
            Problems = [.. Common, ProblemCatalog.BadDocument, ProblemCatalog.BadTableOptions, ProblemCatalog.LongBody,
                ProblemCatalog.UnsupportedCoding],
        },
        new("delete", Table, "deleteTable", "tables", "Drops a table with all its entries.", 204)
        {
            Problems = [.. Common, ProblemCatalog.TableNotFound, ProblemCatalog.TableOwned],
        },
        new("get", Table + "/keys", "listKeys", "tables", "A page of a table's keys.", 200, Json, Ndjson)
        {
            Query = [("prefix", "What the keys begin with."), ("cursor", "Where the page before ended."),
                ("limit", "The most keys, up to 10000; 1000 when left out.")],
            Problems = [.. Common, ProblemCatalog.TableNotFound, ProblemCatalog.InvalidCursor, ProblemCatalog.BadQuery],
        },
    ];

    private static List<ApiOperation> Administration()
    {
        var operations = new List<ApiOperation>
        {
            new("get", "/v1/operations", "listOperations", "operations", "What runs, and the last that ran.", 200,
                Json) { AnswerSchema = "Operations" },
            new("get", "/v1/operations/{id}", "getOperation", "operations", "How far an operation is.", 200, Json)
            {
                AnswerSchema = "Operation", Problems = [ProblemCatalog.OperationNotFound],
            },
            new("delete", "/v1/operations/{id}", "cancelOperation", "operations", "Asks an operation to stop.", 202, Json)
            {
                AnswerSchema = "Operation", Problems = [ProblemCatalog.OperationNotFound, ProblemCatalog.OperationEnded],
            },
        };
        foreach (string action in AdminActions.Names)
        {
            operations.Add(new ApiOperation("post", "/v1/admin:" + action, action, "operations", SummaryOf(action), 202, Json)
            {
                AnswerSchema = "Operation",
                Query = action == "purge" ? [("table", "The one table to empty; without it, all.")] : [],
                Problems =
                    [ProblemCatalog.NotReady, ProblemCatalog.TooManyOperations, ProblemCatalog.BadQuery, ProblemCatalog.TableNotFound],
            });
        }
        operations.Add(new ApiOperation(
            "post", "/v1/admin:rotation", "rotation", "operations",
            "Says to a balancer that spreads keys whether the node may serve its part, and empties it first if it may have what is older.",
            200, Json)
        {
            Query = [("within", "Seconds: a node that was not asked for longer is emptied."),
                ("evict", "The tag that is evicted when another node comes back.")],
            Headers = [(Rotation.StateHeader, "How the balancer takes the node; other than UP, it is emptied."),
                (Rotation.NodesHeader, "Of each node whether it serves: 1 or 0, always in the same order.")],
            Problems = [ProblemCatalog.NotReady, ProblemCatalog.BadQuery],
        });
        return operations;
    }

    private static string SummaryOf(string action) => action switch
    {
        "flush" => "Writes the pile through to its device.",
        "compact" => "Gives back to the system what became empty.",
        "verify" => "Looks at every block.",
        "warm" => "Reads the whole pile ahead.",
        _ => "Removes all entries.",
    };

    private static ApiOperation[] Reports() =>
    [
        new("get", "/v1/access", "getAccess", "reports", "What the key of the request may do, and to which tables.", 200, Json),
        new("get", "/v1/stats", "getStats", "reports", "A snapshot of everything.", 200, Json) { Problems = [ProblemCatalog.NotReady] },
        new("get", "/v1/memory", "getMemory", "reports", "Where the memory is: the equation, and the fill of the segments.", 200,
            Json) { Problems = [ProblemCatalog.NotReady] },
        new("get", "/health/live", "getLive", "reports", "Whether the process answers.", 200, Json),
        new("get", "/health/ready", "getReady", "reports", "Whether the pile is open.", 200, Json) { Others = [(503, "It is not.")] },
        new("get", "/health/startup", "getStartup", "reports", "Whether the pile has been open, and how far its warm-up is.", 200,
            Json) { Others = [(503, "It has not.")] },
        new("get", "/openapi/v1.json", "getDescription", "reports", "This description.", 200, Json),
    ];
}
