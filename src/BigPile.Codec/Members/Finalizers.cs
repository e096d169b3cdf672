using System;
using System.Reflection;

namespace BigPile.Codec.Members;

/// <summary>Which types have a finalizer, which must not run on an object that is only half filled.</summary>
internal static class Finalizers
{
    public static bool AreOn(Type type)
    {
        MethodInfo? finalizer = type.GetMethod("Finalize", BindingFlags.Instance | BindingFlags.NonPublic, []);
        return finalizer is not null && finalizer.DeclaringType != typeof(object)
            && finalizer.GetBaseDefinition().DeclaringType == typeof(object);
    }
}
