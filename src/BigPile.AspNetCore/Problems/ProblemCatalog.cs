using System;
using BigPile.AspNetCore.Security;
using Microsoft.AspNetCore.Http;

namespace BigPile.AspNetCore.Problems;

/// <summary>All problems that the service answers with. Codes are part of the interface: they are not renamed.</summary>
internal static class ProblemCatalog
{
    internal static readonly Problem EntryNotFound =
        new(StatusCodes.Status404NotFound, "entry_not_found", "The table has no entry with this key.");

    internal static readonly Problem EntryStale =
        new(StatusCodes.Status404NotFound, "entry_stale", "The entry is older than the request's maxAge takes it.");

    internal static readonly Problem TableNotFound =
        new(StatusCodes.Status404NotFound, "table_not_found", "There is no table of this name.");

    internal static readonly Problem RouteNotFound =
        new(StatusCodes.Status404NotFound, "route_not_found", "There is nothing at this path.");

    internal static readonly Problem MethodNotAllowed =
        new(StatusCodes.Status405MethodNotAllowed, "method_not_allowed", "The method is not one that this path has; see the Allow header.");

    internal static readonly Problem InvalidTableName =
        new(StatusCodes.Status400BadRequest, "table_name_invalid", "The table's name is not valid.",
            "A name has 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-', and is not '.' or '..'.");

    internal static readonly Problem OtherKeyType =
        new(StatusCodes.Status409Conflict, "table_key_type", "The table has keys that are not text.",
            "The application made it with another type of keys, and it can't be reached by this path.");

    internal static readonly Problem ForeignValue =
        new(StatusCodes.Status409Conflict, "value_not_servable", "The value has no content type.",
            "The application put it into the table as something else than an entry of this service.");

    internal static readonly Problem InvalidContentType =
        new(StatusCodes.Status415UnsupportedMediaType, "content_type_invalid", "The content type is not a media type of at most 255 ASCII characters.");

    internal static readonly Problem EncodedBody =
        new(StatusCodes.Status415UnsupportedMediaType, "content_encoding_unsupported", "Bodies with a Content-Encoding are not stored.",
            "Send the body without the encoding, or with a content type that names the encoded form.");

    internal static readonly Problem PartialBody =
        new(StatusCodes.Status400BadRequest, "partial_put_unsupported", "A part of an entry can't be put.");

    internal static readonly Problem Precondition =
        new(StatusCodes.Status501NotImplemented, "precondition_unsupported", "Conditional changes are not supported.",
            "The entry was not changed: without the condition the change could overwrite what the client did not see.");

    internal static readonly Problem BadMaxAge =
        new(StatusCodes.Status400BadRequest, "max_age_invalid", "The parameter maxAge is not a number of seconds from 0 to 9999999999.");

    internal static readonly Problem ReadCondition =
        new(StatusCodes.Status412PreconditionFailed, "precondition_failed", "The entry is not in the state that the request's condition names.");

    internal static readonly Problem EncodingRefused =
        new(StatusCodes.Status406NotAcceptable, "encoding_not_acceptable", "The Accept-Encoding header refuses every form in which there is the entry.",
            "Entries come as they were put, and decompressed.");

    internal static readonly Problem RangeOutside =
        new(StatusCodes.Status416RangeNotSatisfiable, "range_not_satisfiable", "The range begins behind the end of the entry.");

    internal static readonly Problem BadBody =
        new(StatusCodes.Status400BadRequest, "body_invalid", "The request's body could not be read.");

    internal static readonly Problem PileFull =
        new(StatusCodes.Status507InsufficientStorage, "pile_full", "There is no room for the entry. Nothing was changed.");

    internal static readonly Problem PileFailed =
        new(StatusCodes.Status500InternalServerError, "pile_failed", "The pile could not do it.");

    internal static readonly Problem NotReady =
        new(StatusCodes.Status503ServiceUnavailable, "not_ready", "The pile is not open; see /health/ready.");

    internal static readonly Problem CredentialsMissing =
        new(StatusCodes.Status401Unauthorized, "credentials_missing", "The service asks for an API key.",
            "Send the key as 'Authorization: Bearer NAME.SECRET' or 'X-Api-Key: NAME.SECRET'.");

    internal static readonly Problem CredentialsInvalid =
        new(StatusCodes.Status401Unauthorized, "credentials_invalid", "There is no such API key.");

    internal static readonly Problem AmbiguousFraming =
        new(StatusCodes.Status400BadRequest, "framing_ambiguous", "The request does not say in one way where its body ends.",
            "A body has a Content-Length, or in HTTP/1.1 'Transfer-Encoding: chunked', and not both.");

    internal static readonly Problem UnknownTransferCoding =
        new(StatusCodes.Status501NotImplemented, "transfer_coding_unsupported", "The only Transfer-Encoding of a body is 'chunked'.");

    internal static readonly Problem Overloaded =
        new(StatusCodes.Status503ServiceUnavailable, "overloaded", "The service has as many requests as it takes at once.");

    internal static readonly Problem TimedOut =
        new(StatusCodes.Status503ServiceUnavailable, "request_timed_out", "The request took longer than the service gives one.");

    internal static Problem ScopeMissing(string keyName, KeyScopes scope) =>
        new(StatusCodes.Status403Forbidden, "scope_missing", "The API key may not do this.",
            $"The request needs the scope '{scope.ToString().ToLowerInvariant()}', which the key '{keyName}' does not have.");

    internal static Problem TableForbidden(string keyName, ReadOnlySpan<char> table) =>
        new(StatusCodes.Status403Forbidden, "table_forbidden", "The API key does not reach the table.",
            table.IsEmpty
                ? $"The request is about all tables, and the key '{keyName}' is for some of them."
                : $"The key '{keyName}' is for other tables.")
        {
            Table = table.IsEmpty ? null : table.ToString(),
        };

    internal static Problem RateLimited(string keyName) =>
        new(StatusCodes.Status429TooManyRequests, "rate_limited", "The API key has made its requests for now.",
            $"The key '{keyName}' has a limit of requests a second; see Retry-After.");

    internal static Problem InvalidKey(string detail) => new(StatusCodes.Status400BadRequest, "key_invalid", "The key is not valid.", detail);

    internal static Problem BodyTooLarge(long limitBytes, long? actualBytes) =>
        new(StatusCodes.Status413PayloadTooLarge, "body_too_large", "The body is longer than the service takes.")
        {
            Limit = limitBytes,
            Actual = actualBytes,
        };
}
