package referee

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

const podSpec = "spec.deploymentTemplate.spec.template.spec"

// deploymentErrors says what the API server would refuse of a DeploymentRuntimeConfig besides fields that do not exist: what
// its CRD requires, and lists with two entries of one key, which server-side apply and the Deployment made of it reject.
func deploymentErrors(deployment *appsv1.DeploymentSpec) error {
	if deployment == nil {
		return nil
	}
	if deployment.Selector == nil {
		return fmt.Errorf("spec.deploymentTemplate.spec.selector is required")
	}
	pod := deployment.Template.Spec
	if pod.Containers == nil {
		return fmt.Errorf("%s.containers is required", podSpec)
	}
	containers := append(append([]corev1.Container{}, pod.Containers...), pod.InitContainers...)
	err := unique(podSpec+".containers and initContainers", containers, func(c corev1.Container) string { return c.Name })
	if err != nil {
		return err
	}
	err = unique(podSpec+".volumes", pod.Volumes, func(v corev1.Volume) string { return v.Name })
	if err != nil {
		return err
	}
	for _, container := range containers {
		if err := containerErrors(container); err != nil {
			return err
		}
	}
	return nil
}

func containerErrors(container corev1.Container) error {
	path := fmt.Sprintf("%s.containers[%s]", podSpec, container.Name)
	if container.Name == "" {
		return fmt.Errorf("%s.name is required", path)
	}
	for _, port := range container.Ports {
		if port.ContainerPort == 0 {
			return fmt.Errorf("%s.ports[%s].containerPort is required", path, port.Name)
		}
	}
	err := unique(path+".ports", container.Ports, func(p corev1.ContainerPort) string {
		protocol := p.Protocol
		if protocol == "" {
			protocol = corev1.ProtocolTCP
		}
		return fmt.Sprintf("%d/%s", p.ContainerPort, protocol)
	})
	if err != nil {
		return err
	}
	named := func(p corev1.ContainerPort) string { return p.Name }
	if err := unique(path+".ports", container.Ports, named); err != nil {
		return err
	}
	err = unique(path+".env", container.Env, func(v corev1.EnvVar) string { return v.Name })
	if err != nil {
		return err
	}
	return unique(path+".volumeMounts", container.VolumeMounts, func(m corev1.VolumeMount) string { return m.MountPath })
}

// unique says which key two entries of a list have; an empty key does not count.
func unique[T any](list string, entries []T, key func(T) string) error {
	seen := map[string]bool{}
	for _, entry := range entries {
		name := key(entry)
		if name != "" && seen[name] {
			return fmt.Errorf("%s has %s twice", list, name)
		}
		seen[name] = true
	}
	return nil
}
