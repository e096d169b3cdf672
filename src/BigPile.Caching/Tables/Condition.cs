using System.Runtime.CompilerServices;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Tables;

/// <summary>The precondition of a change.</summary>
internal readonly struct Condition
{
    /// <summary>The result of a put whose condition was not met. No public call returns it.</summary>
    /// <remarks>Not a nullable: that is composed in memory and then read as a whole, for which the processor waits, on each put.</remarks>
    internal const PutResult NotMet = (PutResult)(-1);

    private readonly Form _form; // what is compared
    private readonly ulong _number; // the version, or the id of the flight

    private Condition(Form form, ulong number)
    {
        _form = form;
        _number = number;
    }

    private enum Form
    {
        None,

        /// <summary>The key's entry must have a given version.</summary>
        Version,

        /// <summary>The flight must not be outdated: nothing newer happened to the key since its factory began.</summary>
        Flight,
    }

    internal static Condition None => default;

    internal bool IsNone => _form == Form.None;

    /// <summary>Whether it compares the entry's version.</summary>
    internal bool IsOfVersion => _form == Form.Version;

    /// <summary>Whether it is that of a factory's value.</summary>
    internal bool IsOfFlight => _form == Form.Flight;

    /// <summary>Whether the condition of a put was met; if not, its result becomes a public value.</summary>
    internal static bool WasMet(ref PutResult result)
    {
        if (result != NotMet)
            return true;
        result = default;
        return false;
    }

    /// <summary>The entry must have this version; 0: the key must be missing.</summary>
    internal static Condition Of(ulong version) => new(Form.Version, version);

    /// <summary>The flight must not be outdated.</summary>
    internal static Condition Of(FlightTicket ticket) => new(Form.Flight, ticket.Id);

    /// <summary>
    /// Whether it holds for an entry of this version. The key's stripe lock is held. Not for conditions on a flight, which are never met
    /// here.
    /// </summary>
    /// <param name="version">The entry's version; 0: the key is missing.</param>
    internal bool IsMetBy(ulong version) => _form == Form.None || (_form == Form.Version && _number == version);

    /// <summary>Whether it holds. The bucket's lock is held.</summary>
    /// <param name="flights">The table's flights.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="version">The version of the entry that the index leads to; 0: none.</param>
    /// <param name="isMissing">Whether the key counts as missing.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsMetLocked(FlightTickets flights, ulong hash, ulong version, bool isMissing) =>
        _form == Form.None || IsMetSlow(flights, hash, version, isMissing);

    private bool IsMetSlow(FlightTickets flights, ulong hash, ulong version, bool isMissing) =>
        _form == Form.Flight ? flights.MayKeep(hash, _number, version) : _number == (isMissing ? 0 : version);
}
