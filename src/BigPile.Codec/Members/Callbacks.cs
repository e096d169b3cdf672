using System;
using System.Reflection;

namespace BigPile.Codec.Members;

/// <summary>What a class wants to be told: that it is about to be written, and that it was read. Known by the interface's name.</summary>
/// <remarks>
/// Before writing can come twice for one write, which starts over when the graph turns out to share objects. After reading comes when the
/// whole graph is filled, the root last.
/// </remarks>
internal abstract class Callbacks
{
    private const string InterfaceName = "MessagePack.IMessagePackSerializationCallbackReceiver";

    public abstract void BeforeWrite(object value);

    public abstract void AfterRead(object value);

    /// <summary>The callbacks of a class, or null when it has none.</summary>
    public static Callbacks? Of(Type type)
    {
        if (type.IsValueType)
            return null;
        Callbacks? contract = FindInterface(type) is { } receiver && Contract.Of(type) is not null
            ? (Callbacks)Activator.CreateInstance(typeof(CallbacksOf<>).MakeGenericType(receiver))!
            : null;
        return typeof(IPileReadCallback).IsAssignableFrom(type) ? new ReadCallbacks(contract) : contract;
    }

    public static bool AreOn(Type type) => FindInterface(type) is not null;

    private static Type? FindInterface(Type type) => Array.Find(type.GetInterfaces(), i => i.FullName == InterfaceName);
}

/// <summary>The pile's own callback, after those of a contract.</summary>
internal sealed class ReadCallbacks(Callbacks? contract) : Callbacks
{
    public override void BeforeWrite(object value) => contract?.BeforeWrite(value);

    public override void AfterRead(object value)
    {
        contract?.AfterRead(value);
        ((IPileReadCallback)value).OnRead();
    }
}

/// <summary>The callbacks by way of the interface as the application has it.</summary>
internal sealed class CallbacksOf<TReceiver> : Callbacks
    where TReceiver : class
{
    private static readonly Action<TReceiver> Before = Method("OnBeforeSerialize");
    private static readonly Action<TReceiver> After = Method("OnAfterDeserialize");

    public override void BeforeWrite(object value) => Before((TReceiver)value);

    public override void AfterRead(object value) => After((TReceiver)value);

    private static Action<TReceiver> Method(string name) =>
        typeof(TReceiver).GetMethod(name, BindingFlags.Instance | BindingFlags.Public, [])!.CreateDelegate<Action<TReceiver>>();
}
